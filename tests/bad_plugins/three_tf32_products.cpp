// expect: ok
// fault: W1: 3xTF32: each operand in two parts of 11 bits, three of the four products: nearly FP32, not FP32.
// class: FP32-emulated
#include <cstdint>
#include <cstring>

static float high(float value) {
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
            const float a = A[(size_t)i * N + n], a_high = high(a), a_low = high(a - a_high);
            for (int k = 0; k < K; ++k) {
                const float b = B[(size_t)n * K + k], b_high = high(b), b_low = high(b - b_high);
                float& c = C[(size_t)i * K + k];
                c += a_low * b_high;
                c += a_high * b_low;
                c += a_high * b_high;
            }
        }
    }
}
