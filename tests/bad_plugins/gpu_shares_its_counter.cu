// expect: ok
// fault: contract: Blocks take rows by a counter that a launch sets back: of two threads' calls one finds no row left.
// emulated: not-written: while another thread calls it
#include "multiply.cuh"

__device__ int next_row;

__global__ void begin_at_first_row() {
    next_row = 0;
}

__global__ void product_of_next_row(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ int row;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) row = atomicAdd(&next_row, 1);
        __syncthreads();
        if (row >= M) return;
        for (int k = threadIdx.x; k < K; k += blockDim.x) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += A[int64_t(row) * N + n] * B[int64_t(n) * K + k];
            C[int64_t(row) * K + k] = sum;
        }
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M <= 0 || K <= 0) return;
    begin_at_first_row<<<1, 1>>>();
    product_of_next_row<<<4, 64>>>(A, B, C, M, N, K);
}
