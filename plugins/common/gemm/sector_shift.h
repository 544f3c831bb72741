// How the rows of a C lie in sectors of 32 bytes, and what it costs a kernel whose stores fill whole ones (77).
#pragma once

#include <numeric>

#include "../export/gemm.h"

namespace ladder {

constexpr int kSector = 8;  // words

// How many words of its first sector lie before a row of C, at most, if C begins at this address.
inline int most_shift(const solve_gemm_t& call, uintptr_t address) {
    if (call.C_array) return kSector - 1;
    const int64_t step = std::gcd(std::gcd(int64_t{kSector}, call.ldc), call.batch > 1 ? call.stride_c : 0);
    return static_cast<int>(kSector - step + static_cast<int64_t>(address / sizeof(float)) % step);
}

inline int most_shift(const solve_gemm_t& call) {
    return most_shift(call, reinterpret_cast<uintptr_t>(call.C));
}

// The same as whoever chooses a kernel expects it. Of the address a choice may depend on this alone, whether it is a
// multiple of 16 bytes, since the bits do (solve.h).
inline int expected_shift(const solve_gemm_t& call) {
    return most_shift(call, reinterpret_cast<uintptr_t>(call.C) % 16 == 0 ? 0 : sizeof(float));
}

// The columns of C, and the shift before them if with it they need one more tile of so many columns: 5560 x 21 x 380
// has seven of 64 columns then, not six, and takes 9.1 us where six were expected to take 6.5.
inline int columns_with_shift(int columns, int shift, int of_tile) {
    if (columns > INT32_MAX - kSector) return columns;
    return ceil_div(columns + shift, of_tile) > ceil_div(columns, of_tile) ? columns + shift : columns;
}

}  // namespace ladder
