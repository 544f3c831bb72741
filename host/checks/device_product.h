// A small product of whole numbers on the device, as the checks of what matrices hold make it.
#pragma once

#include <string>

#include "checks/exact_product.h"
#include "checks/guarded_matrix.h"
#include "checks/small_product.h"
#include "device/device.h"

namespace judge {

// The operands lie on the device; C holds poison at first.
class DeviceProduct {
  public:
    // Both must outlive this. Throws OutOfMemory.
    DeviceProduct(Device& device, const Multiply& multiply, const Operands& operands);

    void call() const;
    void change(bool of_a, size_t at, float value) const;  // one element
    void replace(bool of_a, const Matrix& matrix) const;   // all of A, or of B
    Matrix result() const;                                 // C, after all calls so far
    std::string first_off(const Matrix& want) const;       // as below, of C

  private:
    Device& device_;
    const Multiply& multiply_;
    const Shape shape_;
    const GuardedMatrix A_, B_, C_;
};

// The first element of c, of rows of so many columns, that is none of these numbers, off by more than `tolerance`: "(i,
// k) of C is 3, not 4"; empty if there is none.
std::string first_off(const Matrix& c, const Matrix& want, int columns, float tolerance);

}  // namespace judge
