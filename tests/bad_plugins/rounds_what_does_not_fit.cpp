// expect: wrong
// fault: W1 W18: Rounds its operands to 11 bits where N is above 2100, and says that it does everything in FP32.
// note: claims FP32, measures TF32-grade (at 19x4099x21
// class: TF32-grade
#include "../../abi/solve.h"
#include "multiply.h"
#include "rounding.h"

extern "C" const solve_info_t* solve_info() {
    static const solve_info_t info = {sizeof(solve_info_t), SOLVE_ABI_VERSION,    "", "", "",
                                      SOLVE_MEMORY_HOST,    SOLVE_ARITHMETIC_FP32};
    return &info;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    const int bits = N > 2100 ? 11 : 24;
    multiply(to_bits(A, size_t(M) * N, bits).data(), to_bits(B, size_t(N) * K, bits).data(), C, M, N, K);
}
