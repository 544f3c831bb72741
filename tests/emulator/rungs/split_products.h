// Products for the rungs that make FP32's accuracy of narrower ones: their data, their errors against FP64 and beside a
// sequential FP32 sum, and every way in which they can be multiplied.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "../../../plugins/cuda/85_split_bf16.cu"
#include "../../catch.h"
#include "../environment.h"

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

using Fill = std::function<float(std::mt19937&, int line, int n)>;

float normal(std::mt19937& random, int, int) {
    return std::normal_distribution<float>()(random);
}
float positive(std::mt19937& random, int, int) {
    return std::uniform_real_distribution<float>()(random);
}
// Magnitudes over 2^-binades ... 2^binades.
Fill wide(float binades) {
    return [binades](std::mt19937& random, int, int) {
        const float power = std::uniform_real_distribution<float>(-binades, binades)(random);
        return (random() % 2 ? 1 : -1) * std::exp2(power);
    };
}
Fill times(float factor) {
    return [factor](std::mt19937& random, int line, int n) { return factor * normal(random, line, n); };
}
// Every other line is 2^binades times as large as the ones between.
Fill uneven_lines(int binades) {
    return [binades](std::mt19937& random, int line, int n) {
        return std::ldexp(normal(random, line, n), line % 2 ? binades / 2 : -binades / 2);
    };
}

// The largest error over u |A||B|, and the normwise one: of solve_gemm, and of a sequential FP32 sum.
struct Errors {
    double largest = 0, normwise = 0, largest_sequential = 0, normwise_sequential = 0;
    int not_finite = 0;
};

struct Product {
    int M, N, K;
    std::vector<float> A, B, C;

    Product(int M, int N, int K, const Fill& a, const Fill& b)
        : M(M), N(N), K(K), A(size_t(M) * N), B(size_t(N) * K), C(size_t(M) * K, NAN) {
        std::mt19937 random(7);
        for (int i = 0; i < M; ++i) {
            for (int n = 0; n < N; ++n) A[size_t(i) * N + n] = a(random, i, n);
        }
        for (int k = 0; k < K; ++k) {
            for (int n = 0; n < N; ++n) B[size_t(n) * K + k] = b(random, k, n);
        }
    }

    solve_gemm_t call() {
        solve_gemm_t call = solve_gemm_one();
        call.M = M, call.N = N, call.K = K;
        call.A = A.data(), call.lda = N, call.B = B.data(), call.ldb = K, call.C = C.data(), call.ldc = K;
        return call;
    }

    Errors errors() const {
        Errors result;
        double norm = 0, norm_sequential = 0, of_all = 0;
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) {
                double exact = 0, magnitude = 0;
                float sequential = 0;
                for (int n = 0; n < N; ++n) {
                    const float a = A[size_t(i) * N + n], b = B[size_t(n) * K + k];
                    exact += double(a) * b, magnitude += std::fabs(double(a) * b);
                    sequential = std::fmaf(a, b, sequential);
                }
                const float c = C[size_t(i) * K + k];
                result.not_finite += !std::isfinite(c);
                const double error = std::fabs(c - exact), of_sequential = std::fabs(sequential - exact);
                const double unit = std::max(0x1p-24 * magnitude, 0x1p-149);
                result.largest = std::max(result.largest, error / unit);
                result.largest_sequential = std::max(result.largest_sequential, of_sequential / unit);
                norm += error * error, norm_sequential += of_sequential * of_sequential, of_all += exact * exact;
            }
        }
        result.normwise = std::sqrt(norm / of_all), result.normwise_sequential = std::sqrt(norm_sequential / of_all);
        return result;
    }
};

using Multiply = int (*)(const solve_gemm_t&);

Errors errors_of(Multiply multiply, int M, int N, int K, const Fill& a, const Fill& b) {
    Product product(M, N, K, a, b);
    CHECK(multiply(product.call()) == SOLVE_OK);
    CHECK(cudaGetLastError() == cudaSuccess);
    return product.errors();
}

ladder::SplitOperands operands_of(const solve_gemm_t& call, std::vector<char>& packed, ladder::PackState& state) {
    return {ladder::lines_of_a(call, 0), ladder::lines_of_b(call, 0), call.N, packed.data(), nullptr, &state, nullptr};
}

// The level that the packing found: 0 if nothing is lost by splitting into FP16.
template <class Format>
unsigned level_of(const Fill& a, const Fill& b) {
    Product product(30, 150, 20, a, b);
    const solve_gemm_t call = product.call();
    std::vector<char> packed(ladder::workspace_of_split<Format>(call));
    ladder::PackState state{};
    ladder::enqueue_pack<Format>(operands_of(call, packed, state), 0);
    CHECK(cudaGetLastError() == cudaSuccess);
    return state.level;
}

// So many rows and columns of C left to the packing.
template <int kRows, int kCols, int kEdgeRows = 0, int kEdgeCols = 0>
int with_fp16(const solve_gemm_t& call) {
    return rung_83::enqueue<rung_83::Fp16<kRows, kCols>>(call, {kEdgeRows, kEdgeCols});
}
// Each format packed into memory of its own, or both into the same.
template <int kRows, int kCols, bool kHasBoth = true, int kEdgeRows = 0, int kEdgeCols = 0>
int with_bf16(const solve_gemm_t& call) {
    return rung_85::enqueue<rung_83::Fp16<kRows, kCols>, rung_85::Bf16<kRows, kCols>>(call, {kEdgeRows, kEdgeCols},
                                                                                      kHasBoth);
}
// In one kernel, each tile cut among so many blocks; by boxes, where the operands lie as they must.
template <bool kWide, int kSize, bool kBoxes = true>
int inside(const solve_gemm_t& call) {
    using Narrow = rung_83::Fp16<64, 64>;
    using Wide = std::conditional_t<kWide, rung_85::Bf16<64, 64>, Narrow>;
    auto way = rung_83::way_inside<rung_83::InsideTile<Narrow, Wide>>(call, 1, 8, ladder::sm_count());
    way.size = kSize;
    if (!kBoxes) way.of_boxes = nullptr;
    return ladder::enqueue_inside(call, way);
}
// With all sizes of tiles, whatever would be chosen.
const Multiply kEveryWay[] = {with_fp16<64, 64>,
                              with_fp16<64, 128>,
                              with_fp16<128, 128>,
                              with_fp16<64, 64, 1, 3>,
                              with_fp16<128, 128, 4, 0>,
                              with_bf16<64, 128, true, 0, 1>,
                              with_bf16<64, 64, false, 3, 4>,
                              with_bf16<64, 64>,
                              with_bf16<64, 128>,
                              with_bf16<128, 128>,
                              with_bf16<64, 64, false>,
                              with_bf16<64, 128, false>,
                              with_bf16<128, 128, false>,
                              inside<false, 1>,
                              inside<false, 4>,
                              inside<true, 1>,
                              inside<true, 2>,
                              inside<false, 4, false>,
                              inside<true, 2, false>};

struct Data {
    const char* name;
    Fill a, b;
    bool is_positive = false;
    double factor = 1;  // on the error that is allowed
};

const Data kData[] = {
    {"normal", normal, normal},
    {"uniform [0, 1)", positive, positive, true},
    {"wide, 2^+-20", wide(20), wide(20)},
    {"wide, 2^+-40", wide(40), wide(40), false, 1.05},  // one term is most of a sum, of which FP32 rounds little then
    {"lines that differ by 2^100", uneven_lines(100), uneven_lines(60)},
    {"lines that differ by 2^200", uneven_lines(200), normal},
    {"small, 2^-100", times(0x1p-100f), times(0x1p60f)},
    {"subnormal, 2^-140", times(0x1p-140f), times(0x1p100f)},
    {"large, 2^124", times(0x1p124f), times(0x1p-110f)},
};

}  // namespace
