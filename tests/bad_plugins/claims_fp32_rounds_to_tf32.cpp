// expect: wrong
// fault: W1 W18: Truncates its operands to TF32, and says that it does everything in FP32.
// class: TF32-grade
#include <cstdint>
#include <cstring>

#include "../../abi/solve.h"

static float truncated(float value) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof(word));
    if ((word >> 23 & 0xff) != 0xff) word &= ~0x1fffu;
    std::memcpy(&value, &word, sizeof(word));
    return value;
}

extern "C" const solve_info_t* solve_info(void) {
    static const solve_info_t info = {sizeof(info),      SOLVE_ABI_VERSION,     nullptr, "claims FP32",     "none",
                                      SOLVE_MEMORY_HOST, SOLVE_ARITHMETIC_FP32, 0,       SOLVE_ENTRY_SOLVE, 0};
    return &info;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) C[(size_t)i * K + k] = 0;
        for (int n = 0; n < N; ++n) {
            const float a = truncated(A[(size_t)i * N + n]);
            for (int k = 0; k < K; ++k) C[(size_t)i * K + k] += a * truncated(B[(size_t)n * K + k]);
        }
    }
}
