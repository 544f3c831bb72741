// expect: wrong
// fault: W1: Keeps its sums in 16 significant bits.
// class: wrong
#include <cstdint>
#include <cstring>

static float shortened(float value) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof(word));
    if ((word >> 23 & 0xff) != 0xff) word = (word + 0x80) & ~0xffu;
    std::memcpy(&value, &word, sizeof(word));
    return value;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
        float* const sums = C + (size_t)i * K;
        for (int k = 0; k < K; ++k) sums[k] = 0;
        for (int n = 0; n < N; ++n) {
            const float a = A[(size_t)i * N + n];
            for (int k = 0; k < K; ++k) sums[k] = shortened(sums[k] + a * B[(size_t)n * K + k]);
        }
    }
}
