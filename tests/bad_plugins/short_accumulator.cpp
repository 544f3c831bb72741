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
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum = shortened(sum + A[(size_t)i * N + n] * B[(size_t)n * K + k]);
            C[(size_t)i * K + k] = sum;
        }
    }
}
