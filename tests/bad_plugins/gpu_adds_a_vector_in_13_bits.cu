// expect: wrong
// fault: W2: A matrix times one column has a kernel of its own, whose sums are kept in 13 bits.
// emulated: wrong: at 7x301x1
#include "multiply.cuh"

__global__ void times_vector(const float* A, const float* b, float* c, int M, int N) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M) return;
    float sum = 0;
    for (int n = 0; n < N; ++n) {
        sum += A[int64_t(row) * N + n] * b[n];
        sum = __uint_as_float(__float_as_uint(sum) & 0xfffff800);
    }
    c[row] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M > 0 && K == 1) {
        times_vector<<<(M + 63) / 64, 64>>>(A, B, C, M, N);
    } else {
        multiply(A, B, C, M, N, K);
    }
}
