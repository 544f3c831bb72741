// expect: ok
// fault: W1: Rounds what is no whole number to 21 bits: exact wherever the numbers are whole.
// class: FP32-emulated
#include "multiply.h"
#include "rounding.h"

static std::vector<float> rounded(const float* values, size_t count) {
    std::vector<float> result(values, values + count);
    for (float& value : result) {
        if (value != std::rint(value)) value = to_bits(value, 21);
    }
    return result;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    multiply(rounded(A, size_t(M) * N).data(), rounded(B, size_t(N) * K).data(), C, M, N, K);
}
