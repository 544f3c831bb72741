// expect: ok
// fault: control: The control: nothing is wrong.
// emulated: ok
#include "multiply.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
