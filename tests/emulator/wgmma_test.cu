// wgmma against the same sums in exact arithmetic, cut where a tensor core cuts them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "../../plugins/common/ptx/wgmma.h"
#include "../catch.h"
#include "messages.h"

namespace {

using ladder::Operands;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

enum class Misuse { none, no_begin, no_wait, overwrites_b, overwrites_registers };

__device__ void copy_rows(const char* from, char* to, int rows) {
    for (int i = threadIdx.x; i < rows * 8; i += 128) {
        const int row = i / 8, piece = i % 8;
        std::memcpy(to + row * 128 + ladder::place_of_piece(row, piece) * 16, from + i * 16, 16);
    }
}

// Where in D, 64 rows of 2 * kWords, a thread's word i is.
template <int kWords>
__device__ int place_of(int i) {
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    return (row + i / 2 % 2 * 8) * 2 * kWords + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
}

// D = A * B, or D += A * B, of rows of 128 bytes: 64 of A, and as many of B as D has columns, in the order of memory.
// `steps` products of 32 bytes of each, `groups` of which are committed at a time.
template <Operands kOperands, int kWords>
__global__ void multiply(const char* A, const char* B, float* D, int steps, bool add, Misuse misuse) {
    __shared__ __align__(1024) char a[64 * 128], b[2 * kWords * 128];
    copy_rows(A, a, 64);
    copy_rows(B, b, 2 * kWords);
    __syncthreads();
    float d[kWords];
    for (int i = 0; i < kWords; ++i) d[i] = D[place_of<kWords>(i)];
    ladder::AsyncProducts products;
    if (misuse != Misuse::no_begin) products.begin();
    for (int step = 0; step < steps; ++step) {
        products.request<kOperands>(d, ladder::SharedRows(a).at(32 * step), ladder::SharedRows(b).at(32 * step),
                                    add || step > 0);
        products.commit();
    }
    if (misuse == Misuse::overwrites_b) {
        __syncthreads();
        copy_rows(A, b, 64);
        __syncthreads();
    }
    if (misuse != Misuse::no_wait) products.wait<0>(d);
    for (int i = 0; i < kWords; ++i) D[place_of<kWords>(i)] = d[i];
}

// The same of TF32 with A in registers.
template <int kWords>
__global__ void multiply_from_registers(const uint32_t* A, const char* B, float* D, int steps, bool add,
                                        Misuse misuse) {
    __shared__ __align__(1024) char b[2 * kWords * 128];
    copy_rows(B, b, 2 * kWords);
    __syncthreads();
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    float d[kWords];
    for (int i = 0; i < kWords; ++i) d[i] = D[place_of<kWords>(i)];
    uint32_t a[4][4];
    for (int i = 0; i < 16; ++i) a[i / 4][i % 4] = A[(row + i % 2 * 8) * 32 + i / 4 * 8 + t + i / 2 % 2 * 4];
    ladder::AsyncProducts products;
    products.begin();
    for (int step = 0; step < steps; ++step) {
        products.request(d, a[step], ladder::SharedRows(b).at(32 * step), add || step > 0);
        products.commit();
    }
    if (misuse == Misuse::overwrites_registers) a[0][1] = 0;
    products.wait<0>(d);
    for (int i = 0; i < kWords; ++i) D[place_of<kWords>(i)] = d[i];
}

// The two newest groups may still be in flight when the first one is read.
__global__ void wait_for_the_first(const char* A, float* first, float* second) {
    __shared__ __align__(1024) char a[64 * 128];
    for (int i = threadIdx.x; i < 64 * 128; i += 128) a[i] = A[i];
    __syncthreads();
    float d[2][32];
    ladder::AsyncProducts products;
    products.begin();
    for (auto& each : d) {
        products.request<Operands::fp16>(each, ladder::SharedRows(a), ladder::SharedRows(a), false);
        products.commit();
    }
    products.wait<1>(d[0]);
    first[threadIdx.x] = d[0][0];
    second[threadIdx.x] = d[1][0];
    products.wait<0>(d[1]);
    second[128 + threadIdx.x] = d[1][0];
}

// A format's numbers, from and to their bits.
template <Operands kOperands>
struct Numbers;
template <>
struct Numbers<Operands::fp16> {
    using Stored = uint16_t;
    static constexpr int kLeast = -14;
    static constexpr float kMost = 65504;
    static double value(Stored bits) { return emulator::half_to_float(bits); }
    static Stored stored(float value) { return emulator::float_to_half(value); }
};
template <>
struct Numbers<Operands::bf16> {
    using Stored = uint16_t;
    static constexpr int kLeast = -126;
    static constexpr float kMost = 0x1.fep127f;
    static double value(Stored bits) { return emulator::bfloat16_to_float(bits); }
    static Stored stored(float value) { return emulator::float_to_bfloat16(value); }
};
template <>
struct Numbers<Operands::tf32> {
    using Stored = uint32_t;
    static constexpr int kLeast = -126;
    static constexpr float kMost = 0x1.ffcp127f;
    static double value(Stored bits) { return __uint_as_float(bits & 0xffffe000u); }
    static Stored stored(float value) { return __float_as_uint(value); }
};

// The exponent of a number whose format has normal numbers from 2^least on; of 0 what the hardware takes for it.
int exponent_of(double value, int least) {
    return value == 0 ? -126 : std::max(std::ilogb(value), least);
}

// One step, in FP64, where all of it is exact: 17 numbers of at most 28 places.
template <Operands kOperands>
float step_of(const typename Numbers<kOperands>::Stored* a, const typename Numbers<kOperands>::Stored* b, float sum) {
    using N = Numbers<kOperands>;
    constexpr int kDepth = 32 / sizeof(a[0]);
    int most = exponent_of(sum, -126);
    for (int i = 0; i < kDepth; ++i) {
        most = std::max(most, exponent_of(N::value(a[i]), N::kLeast) + exponent_of(N::value(b[i]), N::kLeast));
    }
    const auto cut = [&](double term) { return std::trunc(std::ldexp(term, 25 - most)); };
    double total = cut(sum);
    for (int i = 0; i < kDepth; ++i) total += cut(N::value(a[i]) * N::value(b[i]));
    const double exact = std::ldexp(total, most - 25);
    if (std::fabs(exact) >= 0x1p128) return exact < 0 ? -kInfinity : kInfinity;
    float nearest = static_cast<float>(exact);
    if (std::fabs(nearest) > std::fabs(exact)) nearest = std::nextafter(nearest, 0.0f);
    return nearest;
}

// Numbers over 2^-spread ... 2^spread, of both signs, some of them 0.
template <Operands kOperands>
std::vector<typename Numbers<kOperands>::Stored> random_numbers(size_t count, float spread, uint32_t seed) {
    std::vector<typename Numbers<kOperands>::Stored> numbers(count);
    for (auto& each : numbers) {
        const auto next = [&] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
        const float power = (float(next()) * 0x1p-23f - 1) * spread, fraction = 1 + float(next()) * 0x1p-24f;
        const float value =
            next() % 16 == 0 ? 0.0f : std::min(fraction * std::exp2(std::round(power)), Numbers<kOperands>::kMost);
        each = Numbers<kOperands>::stored(next() % 2 ? value : -value);
    }
    return numbers;
}

// How many elements are not what exact arithmetic and the cuts give, at four steps.
template <Operands kOperands, int kWords, bool kFromRegisters = false>
int wrong_elements(float spread, bool add) {
    constexpr int kCols = 2 * kWords, kOfRow = 128 / sizeof(typename Numbers<kOperands>::Stored);
    const auto a = random_numbers<kOperands>(64 * kOfRow, spread, 1);
    const auto b = random_numbers<kOperands>(kCols * kOfRow, spread, 2);
    std::vector<float> d(64 * kCols);
    for (size_t i = 0; i < d.size(); ++i) d[i] = float(int(i % 201) - 100);
    const std::vector<float> before = d;
    const auto* const of_b = reinterpret_cast<const char*>(b.data());
    if constexpr (kFromRegisters) {
        multiply_from_registers<kWords><<<1, 128>>>(a.data(), of_b, d.data(), 4, add, Misuse::none);
    } else {
        const auto* const of_a = reinterpret_cast<const char*>(a.data());
        multiply<kOperands, kWords><<<1, 128>>>(of_a, of_b, d.data(), 4, add, Misuse::none);
    }
    CHECK(cudaGetLastError() == cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < 64 * kCols; ++i) {
        float want = add ? before[i] : 0.0f;
        for (int step = 0; step < 4; ++step) {
            const int at = step * kOfRow / 4;
            want = step_of<kOperands>(&a[i / kCols * kOfRow + at], &b[i % kCols * kOfRow + at], want);
        }
        wrong += d[i] != want;
    }
    return wrong;
}

// What sixteen products of a row and a column of FP16 come to.
float sum_of(const std::vector<float>& row, const std::vector<float>& column, float sum = 0.0f) {
    std::vector<uint16_t> a(64 * 64, 0), b(64 * 64, 0);
    for (size_t i = 0; i < row.size(); ++i) a[i] = emulator::float_to_half(row[i]);
    for (size_t i = 0; i < column.size(); ++i) b[i] = emulator::float_to_half(column[i]);
    std::vector<float> d(64 * 64, sum);
    multiply<Operands::fp16, 32><<<1, 128>>>(reinterpret_cast<const char*>(a.data()),
                                             reinterpret_cast<const char*>(b.data()), d.data(), 1, true, Misuse::none);
    return d[0];
}

}  // namespace

TEST_CASE("wgmma adds products as exact arithmetic does that is cut where a tensor core cuts") {
    for (const float spread : {2.0f, 14.0f}) {
        CHECK(wrong_elements<Operands::fp16, 32>(spread, true) == 0);
        CHECK(wrong_elements<Operands::bf16, 64>(spread, false) == 0);
        CHECK(wrong_elements<Operands::tf32, 96>(spread, true) == 0);
        CHECK(wrong_elements<Operands::tf32, 128, true>(spread, true) == 0);
    }
    CHECK(wrong_elements<Operands::tf32, 32, true>(14.0f, false) == 0);
    CHECK(wrong_elements<Operands::fp16, 64>(24.0f, false) == 0);  // subnormal ones too
    CHECK(wrong_elements<Operands::bf16, 32>(60.0f, true) == 0);
    CHECK(wrong_elements<Operands::tf32, 32>(120.0f, false) == 0);  // sums too small for FP32, and too large
}

TEST_CASE("wgmma cuts what lies 26 places below the largest exponent, and the sum towards zero") {
    const std::vector<float> ones(8, 1.0f);
    CHECK(sum_of(std::vector<float>(8, 0x1p-13f), std::vector<float>(8, 0x1p-12f), 1.0f) == 1.0f + 0x1p-22f);
    CHECK(sum_of(std::vector<float>(8, 0x1p-13f), std::vector<float>(8, 0x1p-13f), 1.0f) == 1.0f);
    CHECK(sum_of(ones, ones, -0x1p24f - 2) == -0x1p24f + 6);
    CHECK(sum_of({0x1p-12f}, {0x1.8p-12f}, 1.0f) == 1.0f);
    CHECK(sum_of({-0x1p-12f}, {0x1p-13f}, 1.0f) == 1.0f - 0x1p-24f);
    CHECK(sum_of({-0x1p-13f}, {0x1p-13f}, 1.0f) == 1.0f);
    CHECK(sum_of({1.5f, 0x1p-13f}, {1.5f, 0x1p-12f}) == 2.25f);  // 2.25 counts as 2^0
    CHECK(sum_of({-1.5f, 0x1p-13f}, {1.5f, 0x1p-12f}) == -2.25f + 0x1p-22f);
}

TEST_CASE("wgmma carries NaN and infinities as IEEE arithmetic does") {
    CHECK(sum_of({kInfinity, 1}, {2, 1}) == kInfinity);
    CHECK(sum_of({kInfinity, 1}, {-2, 1}) == -kInfinity);
    CHECK(std::isnan(sum_of({kInfinity, 1}, {0, 1})));
    CHECK(std::isnan(sum_of({kInfinity, kInfinity}, {1, -1})));
    CHECK(std::isnan(sum_of({NAN}, {1})));
    CHECK(sum_of({1}, {1}, -kInfinity) == -kInfinity);
    CHECK(sum_of({60000}, {60000}, 0x1.fffffep127f) == 0x1.fffffep127f);
}

TEST_CASE("a product of wgmma is not there before the wait, and reads A and B as late as that") {
    const auto a = random_numbers<Operands::fp16>(64 * 64, 2, 3), b = random_numbers<Operands::fp16>(64 * 64, 2, 4);
    const auto run = [&](Misuse misuse) {
        std::vector<float> d(64 * 64, 0.0f);
        multiply<Operands::fp16, 32><<<1, 128>>>(reinterpret_cast<const char*>(a.data()),
                                                 reinterpret_cast<const char*>(b.data()), d.data(), 4, false, misuse);
        return d;
    };
    const std::vector<float> right = run(Misuse::none);
    int there = 0, same = 0;
    for (const float value : run(Misuse::no_wait)) there += !std::isnan(value);
    CHECK(there == 0);
    const std::vector<float> overwritten = run(Misuse::overwrites_b);
    for (size_t i = 0; i < right.size(); ++i) same += right[i] == overwritten[i];
    CHECK(same < 64);
    run(Misuse::no_begin);
    CHECK(fault().find("wgmma: no begin()") != std::string::npos);
}

TEST_CASE("a product of wgmma reads A from registers as late as at the wait") {
    const auto a = random_numbers<Operands::tf32>(64 * 32, 2, 6), b = random_numbers<Operands::tf32>(64 * 32, 2, 7);
    const auto run = [&](Misuse misuse) {
        std::vector<float> d(64 * 64, 0.0f);
        multiply_from_registers<32>
            <<<1, 128>>>(a.data(), reinterpret_cast<const char*>(b.data()), d.data(), 4, false, misuse);
        return d;
    };
    const std::vector<float> right = run(Misuse::none), overwritten = run(Misuse::overwrites_registers);
    int same = 0;
    for (size_t i = 0; i < right.size(); ++i) same += right[i] == overwritten[i];
    CHECK(same < 64 * 40);  // of every other group of eight rows all, and accidents
}

TEST_CASE("a wait for wgmma leaves the newest groups in flight") {
    const auto a = random_numbers<Operands::fp16>(64 * 64, 2, 5);
    std::vector<float> first(128), second(256);
    wait_for_the_first<<<1, 128>>>(reinterpret_cast<const char*>(a.data()), first.data(), second.data());
    CHECK(cudaGetLastError() == cudaSuccess);
    for (int i = 0; i < 128; ++i) {
        CHECK(std::isnan(second[i]));
        CHECK(second[128 + i] == first[i]);
    }
}
