// expect: wrong
// fault: contract: solve_info says FP32 when it is asked first, and TF32 later.
// note: solve_info() says something else than before the calls
#include "../../abi/solve.h"
#include "multiply.h"

extern "C" const solve_info_t* solve_info() {
    static solve_info_t info = {sizeof(solve_info_t), SOLVE_ABI_VERSION, "", "", "", SOLVE_MEMORY_HOST};
    info.arithmetic = info.arithmetic == 0 ? SOLVE_ARITHMETIC_FP32 : SOLVE_ARITHMETIC_TF32;
    return &info;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    multiply(A, B, C, M, N, K);
}
