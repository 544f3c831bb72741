// What a tensor core of Hopper makes of one step of a sum: a few products, 16 of FP16 or BF16 or 8 of TF32, and the
// accumulator, all at once.
//
// Of each product the exponents are added and the significands multiplied, exactly: a number from 1 to below 4 times a
// power of two. All products and the accumulator are then aligned to the largest of these powers, cut off behind 25
// binary places (towards zero), and added, exactly. The sum is cut off to FP32. So an accumulator that has grown large
// costs a small product its last bits, always towards zero: sums of one sign drift. (arXiv 2511.10909, 2512.07004.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "math.h"

namespace emulator::tensor_core {

// A function that reads and writes its arguments only has no checks by AddressSanitizer: with them the tests of the
// rungs that split take a quarter longer. g++ inlines none with checks into one without, hence no std::max there.
#define EMULATED_UNCHECKED __attribute__((no_sanitize("address")))

// A number's significand is of kBits bits, the highest of them its 1, and of the type Stored in memory.
struct Half {
    using Stored = uint16_t;
    static constexpr int kBits = 11, kExponentBits = 5, kDepth = 16;
};
struct Bfloat16 {
    using Stored = uint16_t;
    static constexpr int kBits = 8, kExponentBits = 8, kDepth = 16;
};
struct Tf32 {
    using Stored = uint32_t;  // of an FP32 number; the low 13 bits are not looked at
    static constexpr int kBits = 11, kExponentBits = 8, kDepth = 8;
};

typedef int32_t Eight __attribute__((vector_size(32)));

EMULATED_UNCHECKED inline bool any(Eight a) {
    typedef uint64_t Four __attribute__((vector_size(32)));
    const Four bits = reinterpret_cast<const Four&>(a);
    return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

// The numbers of one row of A, or of one column of B, that a step multiplies: significand * 2^(exponent - kBits + 1).
template <class Format>
struct Line {
    static constexpr int kVectors = Format::kDepth / 8;
    Eight significand[kVectors], exponent[kVectors];
    bool finite = true, zero = false;

    // From 32 bytes in two pieces of 16, each at a multiple of 8 bytes. They are read here, with checks: with checks of
    // what is made of them, too, the tests of the rungs that multiply by wgmma take a third longer.
    Line(const void* first, const void* second) {
        typedef uint64_t __attribute__((may_alias)) Word;
        const Word *const low = static_cast<const Word*>(first), *const high = static_cast<const Word*>(second);
        make_of(low[0], low[1], high[0], high[1]);
    }

    EMULATED_UNCHECKED void make_of(uint64_t word0, uint64_t word1, uint64_t word2, uint64_t word3) {
        const uint64_t words[] = {word0, word1, word2, word3};
        zero = (word0 | word1 | word2 | word3) == 0;
        if (zero) {
            for (int v = 0; v < kVectors; ++v) significand[v] = Eight{}, exponent[v] = Eight{} - 126;
            return;
        }
        typedef typename Format::Stored Stored __attribute__((vector_size(8 * sizeof(typename Format::Stored))));
        Stored stored[kVectors];
        static_assert(sizeof(stored) == sizeof(words));
        std::memcpy(stored, words, sizeof(words));
        constexpr int kFraction = Format::kBits - 1, kUnseen = sizeof(typename Format::Stored) == 4 ? 13 : 0;
        constexpr int kMost = (1 << Format::kExponentBits) - 1, kBias = kMost / 2;
        for (int v = 0; v < kVectors; ++v) {
            const Eight bits = __builtin_convertvector(stored[v], Eight);
            const Eight biased = bits >> (kFraction + kUnseen) & kMost;
            const Eight fraction = bits >> kUnseen & ((1 << kFraction) - 1);
            const Eight magnitude = fraction + (biased > 0 ? Eight{} + (1 << kFraction) : Eight{});
            const Eight sign = bits << (32 - 8 * static_cast<int>(sizeof(typename Format::Stored))) >> 31;
            significand[v] = (magnitude ^ sign) - sign;
            exponent[v] = magnitude == 0 ? Eight{} - 126 : (biased > 1 ? biased : Eight{} + 1) - kBias;
            finite = finite && !any(biased == kMost);
        }
    }

    // Number i, for the sums that IEEE's rules about NaN and infinities decide.
    EMULATED_UNCHECKED double value(int i) const {
        constexpr int kMost = (1 << Format::kExponentBits) - 1;
        const int number = significand[i / 8][i % 8], power = exponent[i / 8][i % 8];
        if (power == kMost - kMost / 2) {
            if ((number < 0 ? -number : number) != 1 << (Format::kBits - 1)) return __builtin_nan("");
            return number < 0 ? -__builtin_inf() : __builtin_inf();
        }
        return std::ldexp(static_cast<double>(number), power - Format::kBits + 1);
    }
};

EMULATED_UNCHECKED inline int largest(Eight a) {
    int most = a[0];
    for (int i = 1; i < 8; ++i) most = a[i] > most ? a[i] : most;
    return most;
}

// 2^exponent, which is a normal number.
EMULATED_UNCHECKED inline double power_of_two(int exponent) {
    return reinterpret_bits<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// The float next to a finite number on the way to zero; an infinity where it is too large.
EMULATED_UNCHECKED inline float cut_to_float(double value) {
    constexpr double kSubnormal = 0x1p-149, kLeastNormal = 0x1p-126;
    if (std::fabs(value) < kLeastNormal) return static_cast<float>(std::trunc(value / kSubnormal) * kSubnormal);
    return static_cast<float>(reinterpret_bits<double>(reinterpret_bits<uint64_t>(value) & ~uint64_t{0x1fffffff}));
}

// The sum of the accumulator and the products of two lines.
template <class Format>
EMULATED_UNCHECKED float add_products(const Line<Format>& a, const Line<Format>& b, float accumulator) {
    constexpr int kPlaces = 25, kUp = kPlaces - 2 * (Format::kBits - 1), kVectors = Line<Format>::kVectors;
    const uint32_t bits = reinterpret_bits<uint32_t>(accumulator), biased = bits >> 23 & 0xff;
    if ((a.zero || b.zero) && a.finite && b.finite && accumulator == 0.0f) return 0.0f;  // a padded tile
    if (!a.finite || !b.finite || biased == 0xff) {
        double sum = accumulator;
        for (int i = 0; i < Format::kDepth; ++i) sum += a.value(i) * b.value(i);
        if (!std::isfinite(sum)) return static_cast<float>(sum);
    }
    Eight exponent[kVectors], most{};
    for (int v = 0; v < kVectors; ++v) {
        exponent[v] = a.exponent[v] + b.exponent[v];
        most = v == 0 || exponent[v] > most ? exponent[v] : most;
    }
    const int own = biased > 1 ? static_cast<int>(biased) - 127 : -126;
    const int around = largest(most), power = around > own ? around : own;
    // Eight products are less than 2^27 each: their sum fits.
    int64_t sum = 0;
    for (int v = 0; v < kVectors; ++v) {
        const Eight product = (a.significand[v] * b.significand[v]) << kUp, sign = product >> 31;
        Eight down = power - exponent[v];
        down = down > 31 ? Eight{} + 31 : down;
        const Eight cut = ((((product ^ sign) - sign) >> down) ^ sign) - sign;
        int part = 0;
        for (int i = 0; i < 8; ++i) part += cut[i];
        sum += part;
    }
    const int64_t whole = (bits & 0x7fffff) | (biased > 0 ? 0x800000 : 0);
    const int64_t part = whole << (kPlaces - 23) >> (power - own < 63 ? power - own : 63);
    sum += bits >> 31 ? -part : part;
    return cut_to_float(static_cast<double>(sum) * power_of_two(power - kPlaces));
}

}  // namespace emulator::tensor_core
