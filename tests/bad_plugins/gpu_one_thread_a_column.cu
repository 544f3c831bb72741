// expect: limited
// fault: W8: A block has a thread for each column of C, of which it can have 1024: past that nothing is launched.
// emulated: limited: right up to K = 1024, not at 1025; leaves C unwritten at 3x2x4097; to repeat it
// note: right up to K = 1024, not at 1025
__global__ void product(const float* A, const float* B, float* C, int N, int K) {
    const size_t row = blockIdx.x, column = threadIdx.x;
    float sum = 0;
    for (int n = 0; n < N; ++n) sum += A[row * N + n] * B[n * size_t(K) + column];
    C[row * K + column] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M > 0 && K > 0) product<<<M, K>>>(A, B, C, N, K);
}
