// How far apart a trial lays the rows of a matrix.
#pragma once

namespace judge {

// As much as makes each row begin at a multiple of 16 bytes; never nothing. What writes whole groups of four has room
// for them then, which is not its own.
constexpr int kToVectors = -1;

// The leading dimension of rows of `length` elements and a padding in elements, or kToVectors.
constexpr int leading_dimension(int length, int padding) {
    return padding == kToVectors ? (length / 4 + 1) * 4 : length + padding;
}

}  // namespace judge
