#include "checks/bound.h"

#include <algorithm>
#include <cmath>

namespace judge {

namespace {

// The root mean square of |ab| over its mean.
double spread(Data data) {
    switch (data) {
        case Data::uniform:
        case Data::positive:
            return 4.0 / 3;
        case Data::normal:
            return 1.5708;
        case Data::wide:
            return 5.53;
        case Data::integers:
            return 1.35;
    }
    return 1;
}

}  // namespace

double rho_bound(int N, uint32_t arithmetic, Data data, bool truncated) {
    const double summation = std::min<double>(N, 9.0 * std::sqrt(N));
    const int operand_bits = arithmetic == SOLVE_ARITHMETIC_TF32 || arithmetic == SOLVE_ARITHMETIC_FP16 ? 11
                             : arithmetic == SOLVE_ARITHMETIC_BF16                                      ? 8
                                                                                                        : 0;
    if (operand_bits == 0 || N == 0) return summation;
    const double left = truncated && data == Data::positive ? 1.0 : std::min(1.0, 9 * spread(data) / std::sqrt(N));
    return summation + std::ldexp(left, (truncated ? 26 : 25) - operand_bits);
}

}  // namespace judge
