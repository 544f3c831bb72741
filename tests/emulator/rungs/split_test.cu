// The rungs that make FP32's accuracy of narrower products, on data that are hard for them, against FP64 and beside a
// sequential FP32 sum.
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

TEST_CASE("two numbers of FP16 lose nothing of ordinary data, and say so of the others") {
    using Fp16 = rung_83::Fp16<64, 64>;
    for (const Fill& fill :
         {Fill(normal), Fill(positive), times(0x1p50f), times(0x1p-50f), uneven_lines(100), wide(8)}) {
        CHECK(level_of<Fp16>(fill, fill) == 0);
    }
    CHECK(level_of<Fp16>(wide(20), normal) == 1);
    CHECK(level_of<Fp16>(normal, wide(20)) == 1);
    CHECK(level_of<Fp16>(times(0x1p-70f), normal) == 1);
    CHECK(level_of<Fp16>(normal, times(0x1p-140f)) == 1);
    CHECK(level_of<Fp16>(normal, times(0x1p70f)) == 1);
    for (const float special : {NAN, kInfinity, -kInfinity}) {
        const Fill one = [&](std::mt19937&, int line, int n) { return line == 19 && n == 149 ? special : 1.0f; };
        CHECK(level_of<Fp16>(one, normal) == 2);
        CHECK(level_of<Fp16>(normal, one) == 2);
    }
    // One small number in 64 is an accident, as it is one of normal data.
    const auto small = [](int count, float value) -> Fill {
        return [=](std::mt19937&, int line, int n) { return line == 3 && n >= 80 && n < 80 + count ? value : 1.0f; };
    };
    CHECK(level_of<Fp16>(small(1, 0x1p-25f), normal) == 0);
    CHECK(level_of<Fp16>(small(2, 0x1p-25f), normal) == 1);
    CHECK(level_of<Fp16>(small(1, 0x1p-35f), normal) == 1);
    CHECK(level_of<Fp16>(small(5, 0.0f), normal) == 0);
}

TEST_CASE("three numbers of BF16 lose nothing over 169 binades, and say so of the others") {
    using Bf16 = rung_85::Bf16<128, 128>;
    for (const Fill& fill : {Fill(normal), wide(40), wide(80), times(0x1p125f), times(0x1p-149f), uneven_lines(250)}) {
        CHECK(level_of<Bf16>(fill, normal) == 0);
        CHECK(level_of<Bf16>(normal, fill) == 0);
    }
    CHECK(level_of<Bf16>(wide(100), normal) == 2);
    for (const float special : {NAN, kInfinity, -kInfinity}) {
        const Fill one = [&](std::mt19937&, int line, int n) { return line == 19 && n == 149 ? special : 1.0f; };
        CHECK(level_of<Bf16>(one, normal) == 2);
    }
}

TEST_CASE("products of numbers that are split are at least as accurate as a sequential FP32 sum, whatever the data") {
    for (const Data& each : kData) {
        INFO(each.name);
        for (const Multiply& multiply : kEveryWay) {
            INFO("way " << &multiply - kEveryWay);
            const Errors errors = errors_of(multiply, 20, 260, 24, each.a, each.b);
            CHECK(errors.not_finite == 0);
            CHECK(errors.largest <= errors.largest_sequential);
            CHECK(errors.normwise <=
                  std::max(each.factor * errors.normwise_sequential, each.is_positive ? 0x1p-22 : 0));
        }
    }
}

TEST_CASE("a product of numbers that are split has NaN and infinities where FP32 has them") {
    for (const Multiply multiply : kEveryWay) {
        Product product(8, 70, 9, normal, normal);
        product.A[2 * 70 + 5] = kInfinity;
        product.A[3 * 70 + 6] = NAN;
        product.B[7 * 9 + 4] = -kInfinity;
        product.A[4 * 70 + 7] = 0.0f;
        CHECK(multiply(product.call()) == SOLVE_OK);
        int misplaced = 0;
        for (int i = 0; i < 8; ++i) {
            for (int k = 0; k < 9; ++k) {
                float sum = 0;
                for (int n = 0; n < 70; ++n) sum = std::fmaf(product.A[i * 70 + n], product.B[n * 9 + k], sum);
                const float c = product.C[i * 9 + k];
                misplaced += std::isnan(c) != std::isnan(sum) || (std::isinf(sum) && c != sum);
            }
        }
        CHECK(misplaced == 0);
    }
}

TEST_CASE("operands are packed as long as the level is the format's own") {
    using Fp16 = rung_83::Fp16<64, 64>;
    Product product(30, 150, 20, normal, normal);
    const auto is_packed = [&](unsigned level, unsigned at) {
        ladder::PackState state{level};
        std::vector<char> packed(ladder::workspace_of_split<Fp16>(product.call()), 'x');
        ladder::enqueue_pack<Fp16>(operands_of(product.call(), packed, state), at);
        CHECK(cudaGetLastError() == cudaSuccess);
        return std::count(packed.begin(), packed.end(), 'x') < int(packed.size()) / 2;
    };
    CHECK(is_packed(0, 0));
    CHECK(is_packed(1, 1));
    CHECK_FALSE(is_packed(0, 1));
    CHECK_FALSE(is_packed(2, 1));
    // Of many blocks those that begin when the numbers are known to be wild pack nothing.
    Product many(1, 64 * 1100, 1, normal, normal);
    std::vector<char> packed(ladder::workspace_of_split<Fp16>(many.call()), 'x');
    ladder::PackState state{1};
    ladder::enqueue_pack<Fp16>(operands_of(many.call(), packed, state), 0);
    CHECK(std::count(packed.begin(), packed.end(), 'x') == int(packed.size()));
}

TEST_CASE("where each format has memory of its own products are the same bit for bit, wherever numbers are wild") {
    const auto [together, apart] =
        GENERATE(std::pair<Multiply, Multiply>(with_bf16<64, 64>, with_bf16<64, 64, false>),
                 std::pair<Multiply, Multiply>(with_bf16<64, 128>, with_bf16<64, 128, false>),
                 std::pair<Multiply, Multiply>(with_bf16<128, 128>, with_bf16<128, 128, false>));
    const auto one_line = [](int wild) -> Fill {
        return [=](std::mt19937& random, int line, int n) {
            return std::ldexp(normal(random, line, n), line == wild && n > 70 ? n % 41 - 20 : 0);
        };
    };
    const Data data[] = {{"tame", normal, normal},
                         {"wild", wide(40), wide(40)},
                         {"A is wild", wide(40), normal},
                         {"B is wild", normal, wide(40)},
                         {"a line of A is wild", one_line(66), normal},
                         {"lines of both are wild", one_line(0), one_line(100)},
                         {"too wild for BF16", normal, wide(100)}};
    int number = 0;
    for (const Data& each : data) {
        INFO(each.name);
        Product product(70, 200, 140, each.a, each.b);
        CHECK(apart(product.call()) == SOLVE_OK);
        const std::vector<float> expected = product.C;
        for (int order = 0; order < 2; ++order) {
            const Environment seed("EMULATOR_SEED", ++number), threads("EMULATOR_THREADS", order == 0 ? 1 : 5);
            std::fill(product.C.begin(), product.C.end(), NAN);
            CHECK(together(product.call()) == SOLVE_OK);
            CHECK(cudaDeviceSynchronize() == cudaSuccess);
            CHECK(product.C == expected);
        }
    }
}

TEST_CASE("what is too short to be packed is right in many tiles, also where rows of C are not aligned") {
    const Multiply multiply = GENERATE(with_fp16<64, 64>, with_fp16<128, 128>, with_bf16<64, 128>, with_bf16<128, 128>);
    const int threads = GENERATE(1, 5);
    const Environment given("EMULATOR_THREADS", threads);
    Product product(2500, 2, 3, normal, normal);
    std::fill(product.C.begin(), product.C.end(), 1.0f);
    solve_gemm_t call = product.call();
    call.beta = 0.75f;
    CHECK(multiply(call) == SOLVE_OK);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < 2500; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double sum =
                double(product.A[2 * i]) * product.B[k] + double(product.A[2 * i + 1]) * product.B[3 + k];
            wrong += std::fabs(product.C[3 * i + k] - (sum + 0.75)) > 1e-5;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("rows and columns of C that no tile has are computed beside the packing, however the operands lie") {
    using Fp16 = rung_83::Fp16<64, 64>;
    using Bf16 = rung_85::Bf16<64, 64>;
    const int2 edges = GENERATE(int2{1, 0}, int2{0, 2}, int2{3, 4}, int2{4, 1});
    const int transposed = GENERATE(0, 1, 2, 3), way = GENERATE(0, 1, 2);
    const int M = 70 + edges.x, N = 150, K = 65 + edges.y, pad = 3, batch = 2;
    const int rows_a = transposed & 1 ? N : M, lda = (transposed & 1 ? M : N) + pad;
    const int rows_b = transposed & 2 ? K : N, ldb = (transposed & 2 ? N : K) + pad, ldc = K + pad;
    std::mt19937 random(3);
    std::vector<float> A(size_t(batch) * rows_a * lda), B(size_t(batch) * rows_b * ldb), C(size_t(batch) * M * ldc);
    for (auto* each : {&A, &B, &C}) {
        for (float& value : *each) value = normal(random, 0, 0);
    }
    const std::vector<float> before = C;
    solve_gemm_t call = solve_gemm_one();
    call.M = M, call.N = N, call.K = K, call.alpha = 1.5f, call.beta = -0.5f, call.batch = batch;
    call.A = A.data(), call.lda = lda, call.stride_a = int64_t{rows_a} * lda;
    call.B = B.data(), call.ldb = ldb, call.stride_b = int64_t{rows_b} * ldb;
    call.C = C.data(), call.ldc = ldc, call.stride_c = int64_t{M} * ldc;
    call.transpose_a = transposed & 1 ? SOLVE_T : SOLVE_N, call.transpose_b = transposed & 2 ? SOLVE_T : SOLVE_N;
    CHECK((way == 0 ? rung_83::enqueue<Fp16>(call, edges) : rung_85::enqueue<Fp16, Bf16>(call, edges, way == 1)) ==
          SOLVE_OK);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    double worst = 0;
    int touched = 0;
    for (int i = 0; i < batch * M; ++i) {
        const float *const a = &A[i / M * call.stride_a], *const b = &B[i / M * call.stride_b];
        for (int k = 0; k < ldc; ++k) {
            const float c = C[size_t(i) * ldc + k], old = before[size_t(i) * ldc + k];
            touched += k >= K && c != old;
            double exact = 0, magnitude = 0;
            for (int n = 0; n < N && k < K; ++n) {
                const int row = i % M;
                const double product = double(transposed & 1 ? a[n * lda + row] : a[row * lda + n]) *
                                       (transposed & 2 ? b[k * ldb + n] : b[n * ldb + k]);
                exact += product, magnitude += std::fabs(product);
            }
            const double error = std::fabs(c - (1.5 * exact - 0.5 * old));
            if (k < K) worst = std::max(worst, error / (magnitude + std::fabs(old)));
        }
    }
    CHECK(touched == 0);
    CHECK(worst < 5 * 0x1p-24);
}

TEST_CASE("few rows and columns are left to the packing where that makes a wave of tiles less") {
    const auto edges = [](int M, int N, int K) {
        solve_gemm_t call = solve_gemm_one();
        call.M = M, call.N = N, call.K = K;
        const int2 found = ladder::best_split_way(call, 132).edges;
        return std::pair(found.x, found.y);
    };
    CHECK(edges(2049, 2049, 2049) == std::pair(1, 1));
    CHECK(edges(2050, 2048, 2048) == std::pair(2, 0));
    CHECK(edges(2048, 4096, 2051) == std::pair(0, 3));
    CHECK(edges(2048, 2048, 2048) == std::pair(0, 0));
    CHECK(edges(2047, 2047, 2047) == std::pair(0, 0));
    CHECK(edges(2070, 2048, 2048) == std::pair(0, 0));  // too many
    CHECK(edges(1153, 2048, 1152) == std::pair(0, 0));  // 90 tiles of 128 x 128 for 81: one wave
}

TEST_CASE("what was split for the call before does not decide the next one's way") {
    const Multiply multiply =
        GENERATE(with_bf16<64, 64>, with_bf16<64, 128>, with_bf16<128, 128>, with_bf16<64, 64, false>, inside<true, 2>);
    Product tame(20, 100, 24, normal, normal), wild(20, 100, 24, wide(40), wide(40));
    const solve_gemm_t call = tame.call();
    const std::vector<float> a = tame.A, b = tame.B;
    CHECK(multiply(call) == SOLVE_OK);
    const std::vector<float> first = tame.C;
    // The same call on other contents of the same memory, as a graph is replayed.
    tame.A = wild.A, tame.B = wild.B;
    REQUIRE(call.A == tame.A.data());
    CHECK(multiply(call) == SOLVE_OK);
    const Errors errors = tame.errors();
    CHECK(errors.largest <= 2 * errors.largest_sequential);  // FP16 would be 1000 times as far off
    tame.A = a, tame.B = b;
    CHECK(multiply(call) == SOLVE_OK);
    CHECK(tame.C == first);
}

TEST_CASE("what is split on its way to shared memory is wild for the tiles and the n that it is in") {
    const Multiply multiply = GENERATE(inside<true, 1>, inside<true, 2>, inside<true, 4>, inside<true, 2, false>);
    const auto product = [&](const Fill& a) {
        Product product(140, 200, 20, a, normal);
        CHECK(multiply(product.call()) == SOLVE_OK);
        return product;
    };
    const int from = GENERATE(0, 127, 199);
    // Two of 64 that are small, one among 64 that is not, or large; in row 130, and in n from there on.
    const float value = GENERATE(0x1p-40f, 0x1p60f, 0x1p120f, kInfinity);
    const Product tame = product(normal), wild = product([&](std::mt19937&random, int line, int n) {
                                              const float number = normal(random, line, n);
                                              return line == 130 && n >= from && n < from + 2 ? value : number;
                                          });
    int changed = 0;
    for (int row = 0; row < 128; ++row) {
        changed += !std::equal(&tame.C[row * 20], &tame.C[row * 20] + 20, &wild.C[row * 20]);
    }
    CHECK(changed == 0);
    const Errors errors = wild.errors();
    if (std::isinf(value)) {
        CHECK(errors.not_finite == 20);
    } else {
        CHECK(errors.not_finite == 0);
        CHECK(errors.largest <= errors.largest_sequential);
    }
}

TEST_CASE("three products of FP16 without memory for a workspace are FP32 as it stands") {
    Product product(20, 70, 24, normal, normal);
    const solve_gemm_t call = product.call();
    ladder::SplitJob job{};
    job.operands.a = ladder::lines_of_a(call, 0), job.operands.b = ladder::lines_of_b(call, 0), job.operands.N = call.N;
    job.C = call.C, job.ldc = call.ldc;
    using Fp16 = rung_83::Fp16<128, 128>;
    const int bytes = sizeof(rung_83::Tiles<Fp16>::Shared);
    ladder::allow_shared(rung_83::split<Fp16>, bytes);
    rung_83::split<Fp16><<<1, rung_83::Tiles<Fp16>::kThreads, bytes>>>(job);
    CHECK(cudaGetLastError() == cudaSuccess);
    const Errors errors = product.errors();
    CHECK(errors.largest == errors.largest_sequential);
}

// cuBLAS's FP16 products with FP32 output, of 64 n each, added in FP32, on an H200: what the tensor core itself rounds.
TEST_CASE("the emulated error of three products of FP16 is what an H200 measured, to a fifth") {
    const auto normwise = [](const Fill& fill) {
        return errors_of(with_fp16<128, 128>, 40, 1024, 40, fill, fill).normwise;
    };
    CHECK(std::fabs(normwise(normal) / 1.6e-7 - 1) < 0.2);
    CHECK(std::fabs(normwise(positive) / 1.9e-7 - 1) < 0.2);
}

// The table of plugins/notes/83_split.md: build/tests/emulated_rungs_test "accuracy of the split rungs"
TEST_CASE("accuracy of the split rungs", "[.]") {
    std::printf("| data | N | way | FP32 in a row | 83 | 85 |\n|---|--:|---|---|---|---|\n");
    for (const Data& each : kData) {
        const unsigned level = std::max(level_of<rung_83::Fp16<64, 64>>(each.a, each.b), 0u);
        for (const int N : {64, 1024, 8192}) {
            const Errors narrow = errors_of(rung_83::multiply_all, 64, N, 64, each.a, each.b);
            const Errors any = errors_of(rung_85::multiply_all, 64, N, 64, each.a, each.b);
            std::printf("| %s | %d | %s | %.1e (%.1f) | %.1e (%.1f) | %.1e (%.1f) |\n", each.name, N,
                        level == 0 ? "FP16" : "BF16", narrow.normwise_sequential, narrow.largest_sequential,
                        narrow.normwise, narrow.largest, any.normwise, any.largest);
        }
    }
}
