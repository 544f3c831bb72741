#include "checks/rounding.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace judge {

namespace {

enum class Ties { away, to_even };

// Keeps the `bits` most significant of the 24 bits of a normal number's significand.
float to_nearest(float value, int bits, Ties ties) {
    const int dropped = 24 - bits;
    const uint32_t word = std::bit_cast<uint32_t>(value), mask = (uint32_t{1} << dropped) - 1;
    const uint32_t half = uint32_t{1} << (dropped - 1);
    const uint32_t odd = word >> dropped & 1;
    return std::bit_cast<float>((word + (ties == Ties::away ? half : half - 1 + odd)) & ~mask);
}

float truncated(float value, int bits) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & ~((uint32_t{1} << (24 - bits)) - 1));
}

float to_half(float value) {
    const float magnitude = std::abs(value);
    if (magnitude >= 65520.0f) return std::copysign(INFINITY, value);
    // Below 2^-14 half precision's numbers are the multiples of 2^-24, which is what 0.5 has behind it in FP32.
    if (magnitude < 0x1p-14f) return std::copysign((magnitude + 0.5f) - 0.5f, value);
    return to_nearest(value, 11, Ties::to_even);
}

}  // namespace

float rounded(Rounding rounding, float value) {
    if (!std::isfinite(value)) return value;
    switch (rounding) {
        case Rounding::none:
            return value;
        case Rounding::tf32_nearest:
            return to_nearest(value, 11, Ties::away);
        case Rounding::tf32_truncated:
            return truncated(value, 11);
        case Rounding::fp16_nearest:
            return to_half(value);
        case Rounding::bf16_nearest:
            return to_nearest(value, 8, Ties::to_even);
        case Rounding::bf16_truncated:
            return truncated(value, 8);
    }
    return value;
}

int significant_bits(Rounding rounding) {
    switch (rounding) {
        case Rounding::none:
            return 24;
        case Rounding::tf32_nearest:
        case Rounding::tf32_truncated:
        case Rounding::fp16_nearest:
            return 11;
        case Rounding::bf16_nearest:
        case Rounding::bf16_truncated:
            return 8;
    }
    return 24;
}

bool truncates(Rounding rounding) {
    return rounding == Rounding::tf32_truncated || rounding == Rounding::bf16_truncated;
}

std::string to_string(Rounding rounding) {
    switch (rounding) {
        case Rounding::none:
            return "";
        case Rounding::tf32_nearest:
            return "TF32, nearest";
        case Rounding::tf32_truncated:
            return "TF32, truncated";
        case Rounding::fp16_nearest:
            return "FP16, nearest";
        case Rounding::bf16_nearest:
            return "BF16, nearest";
        case Rounding::bf16_truncated:
            return "BF16, truncated";
    }
    return "";
}

}  // namespace judge
