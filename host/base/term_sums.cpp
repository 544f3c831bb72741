#include "base/term_sums.h"

#include <cmath>

namespace judge {

// The loader chooses one of the copies, which AddressSanitizer is not ready for.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define IN_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define IN_VECTORS
#endif

IN_VECTORS void add_term(double a, double absolute_a, const float* __restrict b, size_t count, double* __restrict sum,
                         double* __restrict magnitude) {
    for (size_t k = 0; k < count; ++k) {
        sum[k] += a * b[k];
        magnitude[k] += absolute_a * std::abs(double(b[k]));
    }
}

IN_VECTORS void add_term_in_fp32(double a, const float* __restrict b, size_t count, float* __restrict sum) {
    for (size_t k = 0; k < count; ++k) sum[k] = static_cast<float>(a * b[k] + sum[k]);
}

}  // namespace judge
