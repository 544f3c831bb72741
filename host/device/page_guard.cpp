#include "device/page_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>

namespace judge {

namespace {

// Read by a handler of signals, in any thread: so no container, and `begin` is set last.
struct Range {
    std::atomic<uintptr_t> begin = 0, end = 0, touched = 0;
    std::atomic<bool> readable = false, wrote = false;

    bool holds(uintptr_t address) const { return address >= begin && address < end && begin != 0; }
};

std::array<Range, 128> ranges;
struct sigaction action_before {};

bool tried_to_write([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
    constexpr long long kWrite = 2;  // of a page fault's error code
    return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite;
#else
    return false;
#endif
}

void on_fault(int number, siginfo_t* info, void* context) {
    const int error = errno;
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    const auto range = std::find_if(ranges.begin(), ranges.end(), [&](const Range& r) { return r.holds(address); });
    if (range == ranges.end()) {
        sigaction(number, &action_before, nullptr);  // the instruction faults again
    } else {
        uintptr_t nothing = 0;
        if (range->touched.compare_exchange_strong(nothing, address)) {
            range->wrote = range->readable || tried_to_write(context);
        }
        mprotect(reinterpret_cast<void*>(range->begin.load()), range->end - range->begin, PROT_READ | PROT_WRITE);
    }
    errno = error;
}

bool is_ours(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_fault;
}

// The handler is there while anything is guarded, so that the process looks as ever to whoever compares. A plugin may
// have put another one in its place.
void install_handler() {
    struct sigaction now {};
    sigaction(SIGSEGV, nullptr, &now);
    if (is_ours(now)) return;
    action_before = now;
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
}

void remove_handler() {
    if (std::any_of(ranges.begin(), ranges.end(), [](const Range& r) { return r.begin != 0; })) return;
    struct sigaction now {};
    sigaction(SIGSEGV, nullptr, &now);
    if (is_ours(now)) sigaction(SIGSEGV, &action_before, nullptr);
}

Range* range_from(const void* begin) {
    const auto range = std::find_if(ranges.begin(), ranges.end(), [&](const Range& r) {
        return begin != nullptr && r.begin == reinterpret_cast<uintptr_t>(begin);
    });
    return range == ranges.end() ? nullptr : &*range;
}

std::optional<Trespass> noted(const Range& range) {
    if (range.touched == 0) return std::nullopt;
    return Trespass{reinterpret_cast<const void*>(range.touched.load()), range.wrote};
}

}  // namespace

bool guard_pages(void* begin, size_t bytes, bool readable) {
    Range* range = range_from(begin);
    if (range && (range->end - range->begin != bytes || range->readable != readable)) {
        unguard_pages(begin);
        range = nullptr;
    }
    if (range == nullptr) {
        const auto free = std::find_if(ranges.begin(), ranges.end(), [](const Range& r) { return r.begin == 0; });
        if (bytes == 0 || free == ranges.end()) return false;
        range = &*free;
    } else if (range->touched == 0) {
        install_handler();
        return true;
    }
    install_handler();
    range->end = reinterpret_cast<uintptr_t>(begin) + bytes;
    range->touched = 0;
    range->wrote = false;
    range->readable = readable;
    range->begin = reinterpret_cast<uintptr_t>(begin);
    if (mprotect(begin, bytes, readable ? PROT_READ : PROT_NONE) == 0) return true;
    range->begin = 0;
    remove_handler();
    return false;
}

std::optional<Trespass> trespass_on_pages(const void* begin) {
    const Range* const range = range_from(begin);
    return range ? noted(*range) : std::nullopt;
}

std::optional<Trespass> unguard_pages(void* begin) {
    Range* const range = range_from(begin);
    if (range == nullptr) return std::nullopt;
    mprotect(begin, range->end - range->begin, PROT_READ | PROT_WRITE);
    range->begin = 0;
    remove_handler();
    return noted(*range);
}

int64_t closed_bytes() {
    int64_t bytes = 0;
    for (const Range& range : ranges) {
        if (range.begin != 0 && !range.readable && range.touched == 0) bytes += int64_t(range.end - range.begin);
    }
    return bytes;
}

}  // namespace judge
