#include "checks/bound.h"

#include <algorithm>
#include <cmath>

namespace judge {

// The root mean square of |ab| over its mean.
double spread(Data data) {
    switch (data) {
        case Data::uniform:
        case Data::positive:
            return 4.0 / 3;
        case Data::normal:
        case Data::uneven:
        case Data::tiny:
        case Data::huge:
            return 1.5708;
        case Data::wide20:
            return 21.5;
        case Data::wide40:
            return 42.4;
        case Data::wide:
            return 5.53;
        case Data::integers:
            return 1.35;
    }
    return 1;
}

namespace {

// Of N terms in any order.
double summation_bound(int N) {
    return std::min<double>(N, 9.0 * std::sqrt(N));
}

// Less than one unit: |A||B| is 16 N at most and 4.94 N in the mean, from which it is off by 3 % nowhere above 2^20.
double integer_bound(int N) {
    return N < 1 << 20 ? std::min(N, 1) : 0x1p24 / (5.1 * N);
}

int operand_bits(uint32_t arithmetic) {
    switch (arithmetic) {
        case SOLVE_ARITHMETIC_TF32:
        case SOLVE_ARITHMETIC_FP16:
            return 11;
        case SOLVE_ARITHMETIC_BF16:
            return 8;
        default:
            return 24;
    }
}

// What rounding the operands adds.
double rounding_bound(int N, uint32_t arithmetic, Data data, bool truncated) {
    const int bits = operand_bits(arithmetic);
    if (bits == 24 || N == 0) return 0;
    const double left = truncated && data == Data::positive ? 1.0 : std::min(1.0, 9 * spread(data) / std::sqrt(N));
    return std::ldexp(left, (truncated ? 26 : 25) - bits);
}

}  // namespace

double rho_bound(int N, uint32_t arithmetic, Data data, bool truncated) {
    if (data == Data::integers) return integer_bound(N);
    const double rounding = rounding_bound(N, arithmetic, data, truncated);
    if (rounding > 0 || arithmetic == SOLVE_ARITHMETIC_FP32_EMULATED) return summation_bound(N) + rounding;
    return std::min(summation_bound(N), 40 * typical_rho(N, data));
}

double typical_rho(int N, Data data) {
    switch (data) {
        case Data::uniform:
            return 0.43;
        case Data::normal:
        case Data::uneven:
        case Data::tiny:
        case Data::huge:
            return 0.47;
        case Data::wide20:
        case Data::wide40:
            return 2.8;  // at N = 16384: 1.3 and 1.0 at 128, 2.2 and 1.6 at 1000
        case Data::positive:
            return 0.43 + 0.23 * std::sqrt(N);
        case Data::wide:
            return 1.65;
        case Data::integers:
            return 0;
    }
    return 0;
}

double chain_rho_bound(int N, int K, uint32_t arithmetic, Data data, bool truncated) {
    return summation_bound(N) + rounding_bound(N, arithmetic, data, truncated) + summation_bound(K) +
           rounding_bound(K, arithmetic, data, truncated);
}

}  // namespace judge
