// expect: ok
// fault: W1 W18: One level of Strassen's method where M, N and K are 512 or more, and says that it does all in FP32.
// note: claims FP32, measures normwise-only (at 576x576x576
// class: normwise-only
#include "../../abi/solve.h"
#include "strassen.h"

extern "C" const solve_info_t* solve_info() {
    static const solve_info_t info = {sizeof(solve_info_t), SOLVE_ABI_VERSION,    "", "", "",
                                      SOLVE_MEMORY_HOST,    SOLVE_ARITHMETIC_FP32};
    return &info;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    M >= 512 && N >= 512 && K >= 512 ? strassen(A, B, C, M, N, K) : multiply(A, B, C, M, N, K);
}
