// expect: load-error
// fault: contract: Was built for a later version of abi/solve.h.
#include "../../abi/solve.h"
#include "multiply.h"

extern "C" const solve_info_t* solve_info() {
    static const solve_info_t info = {
        sizeof(info), SOLVE_ABI_VERSION + 1, "future", "", "", SOLVE_MEMORY_HOST, 1, 0, 1, 0};
    return &info;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
