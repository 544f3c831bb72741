// expect: ok
// fault: control: Right, with groups of a pipeline that are committed and waited for in every block.
// emulated: ok
#include <cuda_pipeline.h>
#include <cstdint>

__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float a[64];
    for (int64_t i = blockIdx.x; i < int64_t(M) * K; i += gridDim.x) {
        const int64_t row = i / K, col = i % K;
        float sum = 0;
        for (int first = 0; first < N; first += 64) {
            const int n = first + threadIdx.x;
            if (n < N) __pipeline_memcpy_async(&a[threadIdx.x], &A[row * N + n], sizeof(float));
            __pipeline_commit();
            __pipeline_wait_prior(0);
            __syncthreads();
            if (threadIdx.x == 0) {
                for (int j = 0; j < 64 && first + j < N; ++j) sum += a[j] * B[int64_t(first + j) * K + col];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) C[i] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M > 0 && K > 0) product<<<16, 64>>>(A, B, C, M, N, K);
}
