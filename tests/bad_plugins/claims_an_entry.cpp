// expect: wrong
// fault: contract: Says that it exports solve_enqueue, and does not.
// note: exports no solve_enqueue
#include "../../abi/solve.h"
#include "multiply.h"

extern "C" const solve_info_t* solve_info(void) {
    static const solve_info_t info = {sizeof(info),
                                      SOLVE_ABI_VERSION,
                                      nullptr,
                                      "claims an entry",
                                      "none",
                                      SOLVE_MEMORY_HOST,
                                      SOLVE_ARITHMETIC_FP32,
                                      0,
                                      SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_ENQUEUE,
                                      0};
    return &info;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
