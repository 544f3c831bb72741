// expect: ok
// fault: W8: Puts the rows along the axis y of the grid, which has 65535 blocks at most.
// emulated: ok: right up to 524289 rows at least: leaves C unwritten at 1048577x1x1
// note: right up to 524289 rows at least: leaves C unwritten at 1048577x1x1
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M || k >= K) return;
    float sum = 0;
    for (int n = 0; n < N; ++n) sum += A[(size_t)i * N + n] * B[(size_t)n * K + k];
    C[(size_t)i * K + k] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const dim3 block(16, 16);
    product<<<dim3((K + 15) / 16, (M + 15) / 16), block>>>(A, B, C, M, N, K);
}
