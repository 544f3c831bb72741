// expect: not-written
// fault: W5 T2: Blocks take rows by a counter that nobody sets back: the first call is right, the next ones do nothing.
// emulated: wrong
#include "next_row.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M > 0 && K > 0) product_of_next_row<<<4, 64>>>(A, B, C, M, N, K);
}
