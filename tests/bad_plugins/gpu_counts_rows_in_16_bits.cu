// expect: limited
// fault: W8: Counts the rows of C in 16 bits.
// emulated: limited: right up to M = 65536, not at 65537; leaves C unwritten at 65537x2x3
// note: right up to M = 65536, not at 65537
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
    if (blockIdx.x * blockDim.x + threadIdx.x >= M) return;
    const unsigned short row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int column = 0; column < K; ++column) {
        float sum = 0;
        for (int n = 0; n < N; ++n) sum += A[size_t(row) * N + n] * B[n * size_t(K) + column];
        C[size_t(row) * K + column] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M > 0 && K > 0) product<<<(M + 127) / 128, 128>>>(A, B, C, M, N, K);
}
