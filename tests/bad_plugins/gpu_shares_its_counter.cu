// expect: ok
// fault: contract: Blocks take rows by a counter that a launch sets back: of two threads' calls one finds no row left.
// emulated: not-written: while another thread calls it
#include "next_row.cuh"

__global__ void begin_at_first_row() {
    next_row = 0;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M <= 0 || K <= 0) return;
    begin_at_first_row<<<1, 1>>>();
    product_of_next_row<<<4, 64>>>(A, B, C, M, N, K);
}
