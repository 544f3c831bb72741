// E = A * B * C in one kernel: a block computes one row of D = A * B into shared memory and multiplies it by C from
// there, so D never goes to global memory.
//
// A row of D has K elements. MM3 keeps it whole, in a block of K threads, and so ends at K = 1024; here D is made
// kStrip columns at a time, and a strip's share is added to E's row, each element by the thread that owns it.
//
// Limit: L2 bandwidth. Each block reads all of B and all of C for its one row, 8 bytes for 4 multiply-adds' worth of
// work, as the naive product does; fusing saves the round trip of D, which is not where the time goes.
// Source: MM3.
#include "../common/export/chain.h"
#include "../common/export/launch.h"

namespace chain_10 {

constexpr int kThreads = 256;
constexpr int kStrip = 4096;  // columns of D at a time: 16 KB of shared memory, so 8 blocks of 256 threads fit per SM

static_assert(kStrip % kThreads == 0, "every thread makes as many elements of a strip");

__global__ void chain_fused(const float* A, const float* B, const float* C, float* E, int N, int K, int L) {
    __shared__ float d[kStrip];
    const float* a = A + size_t(blockIdx.x) * N;
    float* e = E + size_t(blockIdx.x) * L;

    for (int k0 = 0; k0 < K; k0 += kStrip) {
        const int strip = min(kStrip, K - k0);
        for (int k = threadIdx.x; k < strip; k += kThreads) {
            float sum = 0.0f;
            for (int n = 0; n < N; ++n) sum += a[n] * B[size_t(n) * K + k0 + k];
            d[k] = sum;
        }
        __syncthreads();
        for (int l = threadIdx.x; l < L; l += kThreads) {
            float sum = k0 == 0 ? 0.0f : e[l];  // this thread's own, from the strip before
            for (int k = 0; k < strip; ++k) sum += d[k] * C[size_t(k0 + k) * L + l];
            e[l] = sum;
        }
        __syncthreads();  // before the next strip overwrites d
    }
}

inline void multiply(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    chain_fused<<<M, kThreads>>>(A, B, C, E, N, K, L);
}

}  // namespace chain_10

SOLVE_EXPORT_CHAIN(chain_10::multiply, .summary = "A*B*C fused: a block per row, the row of A*B in shared memory",
                   .source = "MM3, which ends at 1024 columns")
