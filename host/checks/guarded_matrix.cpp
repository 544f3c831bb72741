#include "checks/guarded_matrix.h"

namespace judge {

GuardedMatrix::GuardedMatrix(Device& device, int64_t elements, int misalignment)
    : device_(device),
      elements_(static_cast<size_t>(elements)),
      before_(kZone + misalignment),
      memory_(device.allocate(before_ + elements_ + kZone)) {
    device_.fill(memory_, before_, kRedZone);
    device_.fill(data() + elements_, kZone, kRedZone);
}

GuardedMatrix::~GuardedMatrix() {
    device_.release(memory_);
}

size_t GuardedMatrix::damage() const {
    return device_.count_other(memory_, before_, kRedZone) + device_.count_other(data() + elements_, kZone, kRedZone);
}

void GuardedMatrix::arm() const {
    device_.forbid(memory_, before_);
    device_.forbid(data() + elements_, kZone);
}

void GuardedMatrix::disarm() const {
    device_.allow(memory_, before_);
    device_.allow(data() + elements_, kZone);
}

}  // namespace judge
