// The input matrices: a counter-based generator, so that any element can be made again at any time, on the host and on
// the GPU alike, and no clean copy of the inputs has to lie in memory while a plugin runs. Both give the same bits:
// only integer arithmetic, exact conversions and single multiplications are used, no function of a mathematical
// library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

namespace judge {

// How the elements are distributed; independent of each other in all of them.
enum class Data {
    uniform,   // on [-1, 1), multiples of 2^-23
    normal,    // mean 0, standard deviation 1, cut at 4.9
    positive,  // uniform on [0, 1), multiples of 2^-24: rounding errors of one sign do not cancel
    wide,      // magnitudes over 16 binades: sign * 2^e * (1 + U), e from -8 to 7: a fixed tolerance fits none of them
    integers,  // -4 to 4, as CUTLASS's profiler takes: exact in every format, so no evidence of precision
};

std::string to_string(Data data);
Data parse_data(const std::string& name);  // throws std::invalid_argument
std::vector<std::string> data_names();

// A matrix of random numbers: element i of it is element(matrix, i).
struct RandomMatrix {
    uint64_t seed;
    Data data = Data::uniform;
};

// splitmix64's finaliser.
HOST_DEVICE inline uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// Applied twice, so that neighbouring seeds give unrelated matrices.
HOST_DEVICE inline uint64_t random_bits(uint64_t seed, uint64_t index) {
    return mix(mix(seed + 0x9e3779b97f4a7c15ull) + index * 0x9e3779b97f4a7c15ull);
}

// Element `index` of the matrix of `seed`: uniform on [-1, 1), a multiple of 2^-23, so exact in FP32.
HOST_DEVICE inline float uniform(uint64_t seed, uint64_t index) {
    const int32_t top = static_cast<int32_t>(random_bits(seed, index) >> 40) - (1 << 23);  // 24 bits, centred on 0
    return static_cast<float>(top) * 0x1p-23f;
}

// The sum of eight uniform 16-bit integers, scaled: the central limit theorem, with an excess kurtosis of -0.15. The
// sum is exact in FP32, and its one rounding, that of the product, fills all 24 bits.
HOST_DEVICE inline float normal(uint64_t seed, uint64_t index) {
    int32_t sum = -4 * 65535;
    for (int half = 0; half < 2; ++half) {
        const uint64_t bits = random_bits(seed, 2 * index + half);
        for (int shift = 0; shift < 64; shift += 16) sum += static_cast<int32_t>(bits >> shift & 0xffff);
    }
    return static_cast<float>(sum) * 1.86881e-5f;  // 1 / sqrt(8 * (2^32 - 1) / 12)
}

HOST_DEVICE inline float element(const RandomMatrix& matrix, uint64_t index) {
    if (matrix.data == Data::uniform) return uniform(matrix.seed, index);
    if (matrix.data == Data::normal) return normal(matrix.seed, index);
    const uint64_t bits = random_bits(matrix.seed, index);
    const float unit = static_cast<float>(bits >> 40) * 0x1p-24f;  // on [0, 1)
    if (matrix.data == Data::positive) return unit;
    if (matrix.data == Data::integers) return static_cast<float>(static_cast<int32_t>((bits >> 32) * 9 >> 32) - 4);
    const float scale = static_cast<float>(1 << (bits & 15)) * 0x1p-8f;
    const float mantissa = 1.0f + static_cast<float>(bits >> 41) * 0x1p-23f;
    return (bits & 16 ? -scale : scale) * mantissa;
}

// One word's part of a matrix's hash, which is the sum over all words: any order, any number of threads.
HOST_DEVICE inline uint64_t hash_of_word(uint64_t index, uint32_t bits) {
    return mix((index << 32 ^ index >> 32 ^ bits) + 0x9e3779b97f4a7c15ull);
}

}  // namespace judge
