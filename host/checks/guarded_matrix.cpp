#include "checks/guarded_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"

namespace judge {

namespace {

size_t rounded_up(size_t value, size_t step) {
    return (value + step - 1) / step * step;
}

}  // namespace

GuardedMatrix::GuardedMatrix(Device& device, int64_t elements, int misalignment)
    : device_(device), elements_(static_cast<size_t>(elements)) {
    const size_t page = device.page_floats(), past = static_cast<size_t>(misalignment);
    if (page == 0) {
        before_ = kZone + past;
        size_ = before_ + elements_ + kZone;
    } else {
        constexpr size_t kStep = 4;  // 16 bytes: what malloc aligns to, and the widest loads of a GPU
        const size_t zone = rounded_up(kZone, page);
        size_ = zone + rounded_up(elements_ + kStep, page) + zone;
        const size_t nearest = size_ - zone - elements_;
        before_ = nearest - (nearest + kStep - past % kStep) % kStep;
    }
    allocate(page);
    device_.fill(zone(), before_, kRedZone);
    device_.fill(behind(), floats_behind(), kRedZone);
}

// What is not touched costs address space alone; a process may have little of that.
void GuardedMatrix::allocate(size_t page) {
    constexpr size_t kLeast = size_t{1} << 20, kMost = size_t{1} << 24;  // floats
    if (page != 0) {
        unused_ = rounded_up(std::clamp(elements_, kLeast, kMost), page);
        try {
            memory_ = device_.allocate(size_ + 2 * unused_);
            return;
        } catch (const OutOfMemory&) {
            unused_ = 0;
        }
    }
    memory_ = device_.allocate(size_);
}

GuardedMatrix::~GuardedMatrix() {
    disarm();
    open_zones();
    device_.release(memory_);
}

// Of closed zones the parts that share a page with the matrix: nobody has been elsewhere.
size_t GuardedMatrix::damage() const {
    size_t before = before_, after = floats_behind();
    if (zones_closed_ && !is_trespassed()) {
        const size_t page = device_.page_floats();
        before = (unused_ + before_) % page;
        after = std::min(after, (page - (unused_ + before_ + elements_) % page) % page);
    }
    return device_.count_other(data() - before, before, kRedZone) + device_.count_other(behind(), after, kRedZone);
}

void GuardedMatrix::arm(Access access) {
    disarm();
    outside_.clear();
    misused_ = wrote_outside_ = false;
    is_armed_ = true;
    armed_ = access;
    were_trespassed_ = were_trespassed_ || is_trespassed();
    const bool closed_before = device_.restrict_access(memory_, unused_ + before_, Access::none);
    const bool closed_behind = device_.restrict_access(behind(), floats_behind() + unused_, Access::none);
    zones_closed_ = closed_before && closed_behind;
    if (armed_ != Access::any) device_.restrict_access(data(), elements_, armed_);
}

void GuardedMatrix::disarm() {
    if (!is_armed_) return;
    is_armed_ = false;
    if (armed_ != Access::any) note(device_.lift_restriction(data(), elements_, armed_));
    note(device_.trespass_on(behind(), floats_behind() + unused_, Access::none));
    note(device_.trespass_on(memory_, unused_ + before_, Access::none));
    // Once somebody was there, damage() looks at all of them after each call.
    were_trespassed_ = were_trespassed_ || is_trespassed();
    if (were_trespassed_ || !zones_closed_) open_zones();
}

bool GuardedMatrix::is_trespassed() const {
    return device_.trespass_on(behind(), floats_behind() + unused_, Access::none) ||
           device_.trespass_on(memory_, unused_ + before_, Access::none);
}

void GuardedMatrix::open_zones() {
    device_.lift_restriction(behind(), floats_behind() + unused_, Access::none);
    device_.lift_restriction(memory_, unused_ + before_, Access::none);
    zones_closed_ = false;
}

void GuardedMatrix::note(const std::optional<Trespass>& found) {
    if (!found) return;
    const auto* const at = static_cast<const char*>(found->address);
    const auto *const begin = reinterpret_cast<const char*>(data()), *const end =
                                                                         reinterpret_cast<const char*>(behind());
    if (at >= begin && at < end) {
        misused_ = true;
        return;
    }
    wrote_outside_ |= found->wrote;
    if (outside_.empty()) {
        const int64_t bytes = at < begin ? begin - at : at - end;
        outside_ =
            fmt::format("{} {} {} of", found->wrote ? "wrote" : "read", bytes == 0 ? "right" : counted(bytes, "byte"),
                        at < begin ? "before the beginning" : "past the end");
    }
}

}  // namespace judge
