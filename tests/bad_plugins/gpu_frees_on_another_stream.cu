// expect: ok
// fault: W16: Frees the memory of its parts of a sum on a stream that does not wait for the kernels which use it.
// emulated: wrong: memory that is freed, or not allocated yet
#include "multiply.cuh"

__global__ void add(const float* parts, float* C, int64_t elements) {
    const int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < elements) C[at] = parts[at] + parts[at + elements];
}

__global__ void multiply_parts(const float* A, const float* B, float* parts, int M, int N, int K) {
    const int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, elements = int64_t(M) * K;
    if (at >= 2 * elements) return;
    const int64_t row = at % elements / K, col = at % K, half = N / 2;
    float sum = 0;
    for (int64_t n = at < elements ? 0 : half; n < (at < elements ? half : N); ++n)
        sum += A[row * N + n] * B[n * K + col];
    parts[at] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static cudaStream_t other = nullptr;
    if (!other) cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    const int64_t elements = int64_t(M) * K;
    if (elements == 0) return;
    float* parts = nullptr;
    if (cudaMallocAsync(&parts, 2 * elements * sizeof(float), 0) != cudaSuccess) return;
    multiply_parts<<<unsigned(2 * elements / 128 + 1), 128>>>(A, B, parts, M, N, K);
    add<<<unsigned(elements / 128 + 1), 128>>>(parts, C, elements);
    cudaFreeAsync(parts, other);
}
