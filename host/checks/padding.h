// The leading dimensions of a trial's matrices, and what lies between their rows.
#pragma once

#include <cstddef>

#include "checks/guarded_matrix.h"

namespace judge {

// A padding that makes each row begin at a multiple of 16 bytes, and is never 0: a kernel that writes whole groups of
// four then writes elements of the padding, which are not its own.
constexpr int kToVectors = -1;

// The leading dimension of rows of `length` elements and a padding in elements, or kToVectors.
constexpr int leading_dimension(int length, int padding) {
    return padding == kToVectors ? (length / 4 + 1) * 4 : length + padding;
}

// What lies between the rows of C. If C is read, a number, a different one at each of 4096 places: its bits change if a
// kernel scales it as it does C's elements, while those of a NaN would not. Else NaN, as between the rows of A and B,
// which spreads if it is taken for an element.
constexpr float between_rows(size_t place, bool c_is_read) {
    return c_is_read ? 10000.5f + float(place % 4096) : kNaN;
}

}  // namespace judge
