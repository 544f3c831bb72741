// expect: crashed
// fault: F19: Uses dynamic shared memory that its launch does not ask for.
// emulated: not-written: of which the launch asked for 0 bytes
#include "multiply.cuh"

__global__ void product_of_rows(const float* A, const float* B, float* C, int M, int N, int K) {
    extern __shared__ float row[];
    for (int n = threadIdx.x; n < N; n += blockDim.x) row[n] = A[int64_t(blockIdx.x) * N + n];
    for (int unused = threadIdx.x; unused < 16384; unused += blockDim.x) row[N + unused] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < K; k += blockDim.x) {
        float sum = 0;
        for (int n = 0; n < N; ++n) sum += row[n] * B[int64_t(n) * K + k];
        C[int64_t(blockIdx.x) * K + k] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M > 0 && K > 0) product_of_rows<<<M, 64>>>(A, B, C, M, N, K);
}
