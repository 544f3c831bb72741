// expect: wrong
// fault: contract: solve_info()->size is left 0, so that no reader may use any of its fields.
// note: solve_info()->size is 0, less than the 52 bytes
#include "../../abi/solve.h"
#include "multiply.h"

extern "C" const solve_info_t* solve_info() {
    static const solve_info_t info = {0, SOLVE_ABI_VERSION, "", "", "", SOLVE_MEMORY_HOST};
    return &info;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    multiply(A, B, C, M, N, K);
}
