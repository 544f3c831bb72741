// How far off a few rows of a product are, and how far off a sequential FP32 sum of the same terms is.
#pragma once

#include <cstdint>
#include <vector>

#include "device/device.h"
#include "values/data.h"
#include "values/shape.h"

namespace judge {

// The root mean squares of rho, |C - C64| / (u |A||B|), over these elements; C's is infinite where one is not finite.
struct RowErrors {
    uint64_t elements = 0;
    double rho = 0;
    double sequential_rho = 0;  // of the judge's own FP32 sum, or typical_rho where that is more, as for few elements
    double r() const { return rho == 0 ? 0 : rho / sequential_rho; }
};

// Of rows that have 1024 elements together, where there are as many: the first, the last, and others.
RowErrors row_errors(Device& device, const float* A, const float* B, const float* C, const Shape& shape, Data data,
                     uint64_t seed);

}  // namespace judge
