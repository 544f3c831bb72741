// expect: ok
// fault: control: Right, with a launch for each eight columns, for each of which the driver keeps some bytes.
// emulated: ok
#include <cstdint>

__global__ void eight_columns(const float* A, const float* B, float* C, int M, int N, int K, int first) {
    const int row = blockIdx.x * 32 + threadIdx.x, col = first + threadIdx.y;
    if (row >= M || col >= K) return;
    float sum = 0;
    for (int n = 0; n < N; ++n) sum += A[int64_t(row) * N + n] * B[int64_t(n) * K + col];
    C[int64_t(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const int blocks = M / 32 + (M % 32 > 0);
    for (int64_t first = 0; blocks > 0 && first < K; first += 8) {
        eight_columns<<<blocks, dim3(32, 8)>>>(A, B, C, M, N, K, int(first));
    }
}
