// expect: limited
// fault: W8: Up to 2048 columns have a thread each in one block: the most per SM, and twice what a block can have.
// emulated: limited: leaves C unwritten at
// note: right up to K = 1024
__global__ void products_of_a_row(const float* A, const float* B, float* C, int N, int K) {
    const float* const a = A + size_t(blockIdx.x) * N;
    for (size_t column = threadIdx.x; column < K; column += blockDim.x) {
        float sum = 0;
        for (int n = 0; n < N; ++n) sum += a[n] * B[n * size_t(K) + column];
        C[blockIdx.x * size_t(K) + column] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M <= 0 || K <= 0) return;
    const int threads = K > 2048 ? 512 : (K + 31) / 32 * 32;
    products_of_a_row<<<M, threads>>>(A, B, C, N, K);
}
