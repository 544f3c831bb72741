// expect: limited
// fault: W8: The grid has a row of blocks for each row of C, along the axis y, of which it can have 65535.
// emulated: limited: right up to M = 32769, not at 65536; leaves C unwritten at 65537x2x3
// note: right up to M = 32769, not at 65536
__global__ void product(const float* A, const float* B, float* C, int N, int K) {
    const size_t row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= K) return;
    float sum = 0;
    for (int n = 0; n < N; ++n) sum += A[row * N + n] * B[n * size_t(K) + column];
    C[row * K + column] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M > 0 && K > 0) product<<<dim3((K + 63) / 64, M), 64>>>(A, B, C, N, K);
}
