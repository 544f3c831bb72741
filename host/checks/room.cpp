#include "checks/room.h"

#include <fmt/format.h>

namespace judge {

namespace {

std::string size(double bytes) {
    return bytes < (1 << 30) ? fmt::format("{:.1f} MiB", bytes / (1 << 20))
                             : fmt::format("{:.1f} GiB", bytes / (1 << 30));
}

}  // namespace

void require_room(Device& device, const Shape& shape, const GemmForm& form) {
    const auto available = device.bytes_available();
    // As double: the largest shapes have more bytes than an integer counts.
    double elements = double(shape.a_elements()) + double(shape.b_elements()) + double(shape.output_elements());
    if (shape.is_chain()) elements += double(shape.c_elements());
    const double bytes = sizeof(float) * elements * form.batch;
    if (!available || bytes <= double(*available)) return;
    throw OutOfMemory(fmt::format("{} of memory, of which {} are free", size(bytes), size(double(*available))));
}

}  // namespace judge
