// Rung 64, except that solve returns only when its work is done, as that of many who write a kernel does.
#define solve enqueue
#include "../../plugins/cuda/64_cp_async.cu"
#undef solve

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    enqueue(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
