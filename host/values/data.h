// The input matrices: a counter-based generator, so that any element can be made again at any time, on the host and on
// the GPU alike, and no clean copy of the inputs has to lie in memory while a plugin runs. Both give the same bits:
// only integer arithmetic, exact conversions and multiplications are used, no function of a mathematical library.
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

// How the elements are distributed; independent of each other in all of them but uneven.
enum class Data {
    uniform,   // on [-1, 1), multiples of 2^-23
    normal,    // mean 0, standard deviation 1, cut at 4.9
    positive,  // uniform on [0, 1), multiples of 2^-24: rounding errors of one sign do not cancel
    wide,      // magnitudes over 16 binades: sign * 2^e * (1 + U), e from -8 to 7: a fixed tolerance fits none of them
    integers,  // -4 to 4, as CUTLASS's profiler takes: exact in every format, so no evidence of precision
    // From here on normal numbers times powers of two, as Powers says.
    wide20,  // normal, each times 2^-20 to 2^20: more than FP16 has exponents for
    wide40,  // the same of 2^-40 to 2^40
    uneven,  // normal, each row of A and each column of B times 2^-50 to 2^50
    tiny,    // normal, A times 2^-140, below FP32's normal range, so of 12 bits at most, and B times 2^100
    huge,    // normal, A times 2^125, an eighth of FP32's largest number, and B times 2^-100
};

std::string to_string(Data data);
Data parse_data(const std::string& name);  // throws std::invalid_argument
std::vector<std::string> data_names();

// In place of random data: lines, which are the rows of A or the columns of B, of three kinds (kind_of_line). Any
// product of a line of A and one of B is a sum of whole numbers that FP32 holds, or has one term, or none, and so has
// one right result, or at most one rounding.
struct Lines {
    int64_t columns = 0;  // of the matrix; 0: it has no lines, it is as its `data` says
    int64_t count = 0;    // of lines
    bool are_rows = true;
    int64_t term = 0;         // along N: where a line of one number has it
    int most = 1;             // a line of whole numbers has 1 to most
    uint32_t zeros_mask = 0;  // and 0 where any of these random bits is set
};

// Powers of two that normal numbers are multiplied by: one for all, and from -each to each one for each number, from
// -line to line one for each row or column.
struct Powers {
    int all = 0, each = 0, line = 0;
    int64_t columns = 1;  // of the matrix
    bool are_rows = true;
};

// A matrix of random numbers: element i of it is element(matrix, i).
struct RandomMatrix {
    uint64_t seed;
    Data data = Data::uniform;
    Lines lines = {};
    Powers powers = {};
};

// Of a product: the matrix A, or B, or a chain's C. It has so many columns: N, K or L. Data without powers of two do
// not depend on that.
RandomMatrix random_a(uint64_t seed, Data data, int64_t columns);
RandomMatrix random_b(uint64_t seed, Data data, int64_t columns);

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

enum class LineKind {
    whole,   // of whole numbers, all positive: no lost term and no doubled one can hide behind another
    single,  // of one number, which fills 24 bits, and zeros
    empty,   // of zeros
};

// Of 16 lines in a row one is single and one empty, at random places; but the first line and the last are whole.
HOST_DEVICE inline LineKind kind_of_line(uint64_t seed, const Lines& lines, int64_t line) {
    const uint64_t bits = random_bits(~seed, line / 16);
    const uint64_t place = line % 16;
    if (line == lines.count - 1) return LineKind::whole;
    if (place == 1 + (bits >> 8) % 7) return LineKind::single;
    return place == 8 + (bits & 7) ? LineKind::empty : LineKind::whole;
}

// Of a line of this kind; `along`: where on the line.
HOST_DEVICE inline float element_of_line(const RandomMatrix& matrix, LineKind kind, int64_t along, uint64_t index) {
    const Lines& lines = matrix.lines;
    if (kind == LineKind::empty) return 0;
    const uint64_t bits = random_bits(matrix.seed, index);
    if (kind == LineKind::whole) {
        if ((bits & lines.zeros_mask) != 0) return 0;
        return static_cast<float>(1 + static_cast<int32_t>((bits >> 32) * lines.most >> 32));
    }
    return along == lines.term ? 1 + static_cast<float>(bits >> 41 | 1) * 0x1p-23f : 0;
}

HOST_DEVICE inline float element_of_line(const RandomMatrix& matrix, uint64_t index) {
    const Lines& lines = matrix.lines;
    const int64_t row = index / lines.columns, column = index % lines.columns;
    const LineKind kind = kind_of_line(matrix.seed, lines, lines.are_rows ? row : column);
    return element_of_line(matrix, kind, lines.are_rows ? column : row, index);
}

// One of -most to most.
HOST_DEVICE inline int random_power(uint64_t seed, uint64_t index, int most) {
    return static_cast<int>((random_bits(seed, index) >> 32) * (2 * most + 1) >> 32) - most;
}

// By two powers of two, of which FP32 has each as a normal number: so it is rounded once at most.
HOST_DEVICE inline float times_power(float value, int power) {
    const auto factor = [](int p) { return __builtin_bit_cast(float, (p + 127) << 23); };
    return value * factor(power / 2) * factor(power - power / 2);
}

// That of a row or column.
HOST_DEVICE inline int line_power(const RandomMatrix& matrix, uint64_t line) {
    return random_power(matrix.seed ^ 0x11e5, line, matrix.powers.line);
}

HOST_DEVICE inline float scaled_normal(const RandomMatrix& matrix, uint64_t index) {
    const Powers& powers = matrix.powers;
    const uint64_t line = powers.are_rows ? index / powers.columns : index % powers.columns;
    const int power = powers.all + random_power(matrix.seed ^ 0x5ca1e, index, powers.each) + line_power(matrix, line);
    return times_power(normal(matrix.seed, index), power);
}

HOST_DEVICE inline float element(const RandomMatrix& matrix, uint64_t index) {
    if (matrix.lines.columns != 0) return element_of_line(matrix, index);
    if (matrix.data == Data::uniform) return uniform(matrix.seed, index);
    if (matrix.data == Data::normal) return normal(matrix.seed, index);
    if (matrix.data >= Data::wide20) return scaled_normal(matrix, index);
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
