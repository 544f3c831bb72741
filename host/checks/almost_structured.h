// Products of matrices that are structured but for an element or two: what a plugin concludes from a sample of the
// elements does not hold of them all.
#pragma once

#include <cstdint>
#include <string>

#include "checks/exact_product.h"
#include "device/device.h"

namespace judge {

struct AlmostStructuredTest {
    int side = 96;     // of the matrices, which are square; a multiple of 32
    bool fp32 = true;  // whether the plugin's class is FP32, and takes its exponents
    // Of pairs of structures, those that are looked for most first; after all of them, of FP32, come 6 calls with NaN.
    int trials = 23;
};

// A and B zero, constant, an identity, diagonal, symmetric, triangular, banded, of equal rows, of rank one, sparse, of
// whole numbers and the like, but for one element on each side of the diagonal: away from the edges, the diagonals, and
// where a step of 4 leads. They are whole numbers, so C has one right result. And of FP32, one of them structured
// throughout while the other holds a NaN. Empty, or what is wrong, in one line; nothing is found of a plugin that is
// not exact on whole numbers without structure.
std::string check_almost_structured(Device& device, const Multiply& multiply, uint64_t seed,
                                    const AlmostStructuredTest& test);

}  // namespace judge
