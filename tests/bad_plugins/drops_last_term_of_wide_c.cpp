// expect: wrong
// fault: W8: Leaves the last term out of the last row where C has 512 rows and 512 columns or more.
// note: at 576x576x576 exact sums of whole numbers are off
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    multiply(A, B, C, M, N, K);
    if (M < 512 || K < 512 || N == 0) return;
    multiply(A + (size_t)(M - 1) * N, B, C + (size_t)(M - 1) * K, 1, N - 1, K);
}
