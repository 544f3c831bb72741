#include "checks/device_product.h"

#include <fmt/format.h>

#include <cmath>

#include "checks/process_state.h"

namespace judge {

DeviceProduct::DeviceProduct(Device& device, const Multiply& multiply, const Operands& operands)
    : device_(device),
      multiply_(multiply),
      shape_(operands.shape),
      A_(device, shape_.a_elements(), 0),
      B_(device, shape_.b_elements(), 0),
      C_(device, shape_.c_elements(), 0) {
    replace(true, operands.a);
    replace(false, operands.b);
    device.fill(C_.data(), C_.elements(), kPoison);
    device.synchronize();
}

void DeviceProduct::call() const {
    const CallGuard guard;
    multiply_(A_.data(), B_.data(), C_.data(), shape_.M, shape_.N, shape_.K);
}

void DeviceProduct::change(bool of_a, size_t at, float value) const {
    device_.synchronize();
    device_.write((of_a ? A_ : B_).data() + at, &value, 1);
}

void DeviceProduct::replace(bool of_a, const Matrix& matrix) const {
    device_.synchronize();
    device_.write((of_a ? A_ : B_).data(), matrix.data(), matrix.size());
}

Matrix DeviceProduct::result() const {
    device_.synchronize();
    Matrix c(C_.elements());
    device_.read(c.data(), C_.data(), c.size());
    return c;
}

std::string DeviceProduct::first_off(const Matrix& want) const {
    return judge::first_off(result(), want, shape_.K, 1);  // C rounded to 8 bits is off by up to 1
}

std::string first_off(const Matrix& c, const Matrix& want, int columns, float tolerance) {
    for (size_t i = 0; i < c.size(); ++i) {
        if (std::abs(c[i] - want[i]) <= tolerance) continue;  // false for NaN
        return fmt::format("({}, {}) of C is {:.9g}, not {:.9g}", i / columns, i % columns, c[i], want[i]);
    }
    return {};
}

}  // namespace judge
