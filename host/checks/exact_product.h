// A product with one right result: no rounding, or one. What a random product shows only as a little more error, a lost
// term of a million, a class of precision that begins at some N, shows here whatever the size.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "device/device.h"
#include "values/data.h"
#include "values/shape.h"

namespace judge {

// C[M x K] = A[M x N] * B[N x K] in the device's memory, still running on return.
using Multiply = std::function<void(const float* A, const float* B, float* C, int M, int N, int K)>;

// What was found. A and B are of the three kinds of lines of values/data.h. An element of C between two lines of whole
// numbers is a sum of these, each positive, and exact in any order as long as it is below 2^24; any other has one term,
// which is rounded once, or none.
struct ExactFindings {
    // Sums of whole numbers that are off by half a unit or more, in the first rows that are off; and other elements
    // that are off by 4, and by half of themselves.
    uint64_t lost = 0;
    uint64_t inexact = 0;      // by less: something else than whole numbers was added
    uint64_t nonzero = 0;      // elements that are not zero, though all their terms are
    double single_rho = 0;     // of elements of one term: largest |C - ab| / (u |ab|), at most 1 if rounded once
    uint64_t singles = 0;      // elements of one term that were looked at
    uint64_t singles_off = 0;  // of these, further off than that
    std::string first;         // the first sum that is off; empty for none
};

// The largest sum of whole numbers is 2^22 up to N = 2^22, so that the sums of sums that Strassen's method makes are
// exact too, N from there to 2^24, and 2^22 in the mean above, where most terms are zero.
Lines whole_numbers(int N, bool of_a);

// Fills A and B, poisons C, makes one call, and looks at it: every sum of whole numbers through a checksum of its row,
// which must be right to the last bit, and the others in up to 64 rows. O(MN + NK + MK) beside the call.
ExactFindings check_exact_product(Device& device, float* A, float* B, float* C, const Shape& shape, uint64_t seed,
                                  const Multiply& multiply);

}  // namespace judge
