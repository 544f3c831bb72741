// expect: ok
// fault: W1: Rounds its operands to TF32, 11 significant bits, to nearest, and claims nothing: ok, a class of its own.
// class: TF32-grade
#include <cstdint>
#include <cstring>

static float rounded(float value) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof(word));
    if ((word >> 23 & 0xff) != 0xff) word = (word + 0x1000) & ~0x1fffu;
    std::memcpy(&value, &word, sizeof(word));
    return value;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) C[(size_t)i * K + k] = 0;
        for (int n = 0; n < N; ++n) {
            const float a = rounded(A[(size_t)i * N + n]);
            for (int k = 0; k < K; ++k) C[(size_t)i * K + k] += a * rounded(B[(size_t)n * K + k]);
        }
    }
}
