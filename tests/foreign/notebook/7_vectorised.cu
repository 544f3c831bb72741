// expect: limited
// says: needs 16-byte aligned pointers
// Four elements of a row a thread, by loads and stores of 16 bytes wherever K allows: it does not look at the pointers.
#include <cuda_runtime.h>

__global__ void vectorised(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= M || col >= K) return;
    if (K % 4 == 0) {
        float4 sum = make_float4(0, 0, 0, 0);
        for (int n = 0; n < N; n++) {
            float a = A[row * N + n];
            float4 b = *reinterpret_cast<const float4*>(&B[n * K + col]);
            sum.x += a * b.x, sum.y += a * b.y, sum.z += a * b.z, sum.w += a * b.w;
        }
        *reinterpret_cast<float4*>(&C[row * K + col]) = sum;
        return;
    }
    for (int c = col; c < min(col + 4, K); c++) {
        float sum = 0;
        for (int n = 0; n < N; n++) sum += A[row * N + n] * B[n * K + c];
        C[row * K + c] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(16, 16), grid((K + 63) / 64, (M + 15) / 16);
    vectorised<<<grid, block>>>(A, B, C, M, N, K);
}
