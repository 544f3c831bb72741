// E = A * B * C as two calls of the CPU's BLAS, in the cheaper of the two orders: what CPU chains are raced against.
// Source: OpenBLAS (any library with a CBLAS interface will do).
// build: link=openblas
#include <cblas.h>

#include <memory>
#include <new>

#include "../common/export/chain.h"
#include "../common/export/host.h"

namespace chain_90 {

inline void product(const float* A, const float* B, float* C, int M, int N, int K) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, K, N, 1.0f, A, N, B, K, 0.0f, C, K);
}

inline void multiply(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    const bool left_first = ladder::left_first(M, N, K, L);
    const size_t elements = left_first ? size_t(M) * K : size_t(N) * L;
    const std::unique_ptr<float[]> between(new (std::nothrow) float[elements]);
    if (!between) {
        ladder::fail("out of memory: %zu floats between the two products", elements);
    } else if (left_first) {
        product(A, B, between.get(), M, N, K);
        product(between.get(), C, E, M, K, L);
    } else {
        product(B, C, between.get(), N, K, L);
        product(A, between.get(), E, M, N, L);
    }
}

}  // namespace chain_90

SOLVE_BASELINE_MARK
SOLVE_EXPORT_CHAIN(chain_90::multiply, .summary = "A*B*C as two cblas_sgemm", .source = "OpenBLAS",
                   .flags = SOLVE_FLAG_BASELINE)
