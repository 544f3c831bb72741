// expect: wrong
// fault: contract: solve_info()->abi_version is left 0, and there is no such version.
// note: solve_info()->abi_version is 0
#include "../../abi/solve.h"
#include "multiply.h"

extern "C" const solve_info_t* solve_info() {
    static const solve_info_t info = {sizeof(solve_info_t), 0, "", "", "", SOLVE_MEMORY_HOST};
    return &info;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    multiply(A, B, C, M, N, K);
}
