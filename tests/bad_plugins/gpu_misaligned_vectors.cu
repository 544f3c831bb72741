// expect: crashed
// fault: F19 W14: Reads the rows of A as float4, which are not aligned where N is no multiple of 4.
// emulated: not-written: misaligned address
#include "multiply.cuh"

__global__ void product_by_quads(const float* A, const float* B, float* C, int M, int N, int K) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y;
    if (k >= K) return;
    const float* row = A + int64_t(m) * N;
    float sum = 0;
    int n = 0;
    for (; n + 4 <= N; n += 4) {
        const float4 quad = *reinterpret_cast<const float4*>(row + n);
        const float parts[] = {quad.x, quad.y, quad.z, quad.w};
        for (int i = 0; i < 4; ++i) sum += parts[i] * B[int64_t(n + i) * K + k];
    }
    for (; n < N; ++n) sum += row[n] * B[int64_t(n) * K + k];
    C[int64_t(m) * K + k] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M > 0 && K > 0) product_by_quads<<<dim3((K + 31) / 32, M), 32>>>(A, B, C, M, N, K);
}
