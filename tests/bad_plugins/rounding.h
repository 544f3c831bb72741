// Numbers of fewer bits, for bad plugins to compute with.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

// To the nearest number of this many significant bits, 24 at most.
static float to_bits(float value, int bits) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof(word));
    const uint32_t unit = uint32_t{1} << (24 - bits);
    if ((word >> 23 & 0xff) != 0xff) word = (word + unit / 2) & ~(unit - 1);
    std::memcpy(&value, &word, sizeof(word));
    return value;
}

static std::vector<float> to_bits(const float* values, size_t count, int bits) {
    std::vector<float> rounded(values, values + count);
    for (float& value : rounded) value = to_bits(value, bits);
    return rounded;
}

// Each operand in two parts of this many bits, three of the four products.
static void multiply_in_three(const float* A, const float* B, float* C, int M, int N, int K, int bits) {
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) C[(size_t)i * K + k] = 0;
        for (int n = 0; n < N; ++n) {
            const float a = A[(size_t)i * N + n], a_high = to_bits(a, bits), a_low = to_bits(a - a_high, bits);
            for (int k = 0; k < K; ++k) {
                const float b = B[(size_t)n * K + k], b_high = to_bits(b, bits), b_low = to_bits(b - b_high, bits);
                float& c = C[(size_t)i * K + k];
                c += a_low * b_high;
                c += a_high * b_low;
                c += a_high * b_high;
            }
        }
    }
}

// Sums of 64 terms, added up in this many bits.
static void multiply_in_short_sums(const float* A, const float* B, float* C, int M, int N, int K, int bits) {
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0, part = 0;
            for (int n = 0; n < N; ++n) {
                part += A[(size_t)i * N + n] * B[(size_t)n * K + k];
                if (n % 64 < 63 && n < N - 1) continue;
                sum = to_bits(sum + part, bits);
                part = 0;
            }
            C[(size_t)i * K + k] = sum;
        }
    }
}
