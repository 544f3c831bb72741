// expect: ok
// fault: W8: Counts the elements of A, B and C with 32 bits.
// emulated: ok: it counts elements in 32 bits
__global__ void product(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) {
    const size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= (size_t)M * K) return;
    const unsigned row = at / K, col = at % K;
    float sum = 0;
    for (unsigned n = 0; n < N; ++n) sum += A[row * N + n] * B[n * K + col];
    C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const size_t elements = (size_t)M * K;
    if (M > 0 && N >= 0 && K > 0) product<<<(unsigned)((elements - 1) / 128 + 1), 128>>>(A, B, C, M, N, K);
}
