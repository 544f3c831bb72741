// E = A * B * C as two cuBLAS products with a workspace between them, in the cheaper of the two orders: what fused
// kernels are raced against.
//
// The workspace comes from the stream-ordered allocator, which keeps freed memory in its pool: after the first call an
// allocation costs about a microsecond, and two streams never get the same memory at once.
//
// Source: cuBLAS; MM3 compares with it through PyTorch, which multiplies from left to right.
// build: link=cublas
#include <cublas_v2.h>

#include "../common/export/chain.h"
#include "../common/export/cublas.h"

namespace chain_00 {

inline void multiply(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    const bool left_first = ladder::left_first(M, N, K, L);
    float* between = nullptr;  // A * B, or B * C
    const size_t elements = left_first ? size_t(M) * K : size_t(N) * L;
    if (cudaMallocAsync(&between, sizeof(float) * elements, nullptr) != cudaSuccess) {
        return;  // with the error that finish() records
    }
    constexpr cublasComputeType_t kArithmetic = CUBLAS_COMPUTE_32F_PEDANTIC;
    if (left_first) {
        ladder::cublas_multiply({A, N, B, K, between, K, M, N, K}, kArithmetic);
        ladder::cublas_multiply({between, K, C, L, E, L, M, K, L}, kArithmetic);
    } else {
        ladder::cublas_multiply({B, K, C, L, between, L, N, K, L}, kArithmetic);
        ladder::cublas_multiply({A, N, between, L, E, L, M, N, L}, kArithmetic);
    }
    cudaFreeAsync(between, nullptr);
}

}  // namespace chain_00

SOLVE_BASELINE_MARK
SOLVE_EXPORT_CHAIN(chain_00::multiply, .summary = "A*B*C as two cuBLAS products",
                   .source = "cuBLAS, CUBLAS_COMPUTE_32F_PEDANTIC", .flags = SOLVE_FLAG_BASELINE)
