#include "host/checks/probes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "host/checks/classifier.h"
#include "host/checks/process_state.h"
#include "tests/catch.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

const ProbeSizes kSmall{{48, 256, 40}, {16, 1024, 12}, {37, 251, 41}, {48, 256, 40},
                        {37, 53, 41},  {32, 128, 64},  {5, 1031, 7}};

Precision measured(const Multiply& multiply, const ProbeSizes& sizes = kSmall) {
    return classify(run_probes(*make_host_device(), multiply, 11, sizes));
}

Multiply of_rounded(Rounding rounding) {
    return [=](const float* A, const float* B, float* C, int M, int N, int K) {
        std::vector<float> a(A, A + size_t(M) * N), b(B, B + size_t(N) * K);
        for (float& value : a) value = rounded(rounding, value);
        for (float& value : b) value = rounded(rounding, value);
        right_product(a.data(), b.data(), C, M, N, K);
    };
}

// Strassen's trouble in its simplest form: three times the upper rows of A are added to the lower ones, and their
// product is taken away again.
void adds_blocks(const float* A, const float* B, float* C, int M, int N, int K) {
    std::vector<float> sum(A, A + size_t(M) * N), upper(size_t(M) * K);
    const int half = M / 2;
    for (int i = half; i < M; ++i) {
        for (int n = 0; n < N; ++n) sum[size_t(i) * N + n] += 3 * A[size_t(i - half) * N + n];
    }
    right_product(sum.data(), B, C, M, N, K);
    right_product(A, B, upper.data(), M, N, K);
    for (int i = half; i < M; ++i) {
        for (int k = 0; k < K; ++k) C[size_t(i) * K + k] -= 3 * upper[size_t(i - half) * K + k];
    }
}

// The sums that the reference has. Optimised, as multiply is: it is called with 23.6e6 multiply-adds a product.
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O2")))
#endif
void
sequential(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum = float(double(A[size_t(i) * N + n]) * B[size_t(n) * K + k] + sum);
            C[size_t(i) * K + k] = sum;
        }
    }
}

std::string grade_of(const Multiply& multiply) {
    return to_string(measured(multiply).grade);
}

}  // namespace

TEST_CASE("a sequential FP32 sum is FP32: r is 1, and every exact probe is exact") {
    const Precision precision = measured(right_product);
    CAPTURE(precision.reason);
    CHECK(to_string(precision.grade) == "FP32");
    const Evidence& found = precision.evidence;
    CHECK(found.r == Approx(1).epsilon(0.1));
    CHECK(found.r_positive == Approx(1).epsilon(0.2));
    CHECK(found.zero_mean.elementwise < 0.2);
    CHECK(found.zero_mean.elementwise > 0);
    CHECK(found.inexact_integers + found.inexact_12_bits + found.inexact_24_bits + found.inexact_accumulator == 0);
    CHECK(found.input_bits == 24);
    CHECK(found.out_of_range == 0);
    CHECK(!found.flushes_subnormals);
    CHECK(found.lost_special + found.spread_special + found.nonzero_in_zero_rows == 0);
    CHECK(found.deterministic);
    CHECK(found.rounding == Rounding::none);
}

TEST_CASE("the reference has the bits of a sum in one thread, however many threads share its rows, and leaves none") {
    const int64_t threads = process_usage().threads;
    const Evidence found = measured(sequential, ProbeSizes{}).evidence;  // 23.6e6 multiply-adds a product
    CHECK(found.r == 1.0);
    CHECK(found.r_positive == 1.0);
    CHECK(found.zero_mean.elementwise > 0);
    CHECK(found.zero_mean.elementwise < 0.2);
    CHECK(found.inexact_integers + found.inexact_12_bits + found.inexact_24_bits + found.inexact_accumulator == 0);
    CHECK(process_usage().threads == threads);
}

TEST_CASE("what rounds one of its operands is found out, and which") {
    const auto rounds_b = [](const float* A, const float* B, float* C, int M, int N, int K) {
        std::vector<float> low(B, B + size_t(N) * K);
        for (float& value : low) value = rounded(Rounding::bf16_nearest, value);
        right_product(A, low.data(), C, M, N, K);
    };
    const Precision precision = measured(rounds_b);
    CAPTURE(precision.reason);
    CHECK(to_string(precision.grade) == "BF16-grade");
    CHECK(contains(precision.reason, "the product of A and B, of which B alone is rounded to BF16, nearest"));
}

TEST_CASE("what rounds its operands is found out, with the rounding and its bits") {
    const auto check = [](Rounding rounding, const char* grade, int bits, double least_r, double most_r) {
        const Precision precision = measured(of_rounded(rounding));
        CAPTURE(to_string(rounding), precision.reason);
        CHECK(to_string(precision.grade) == grade);
        CHECK(to_string(precision.evidence.rounding) == to_string(rounding));
        CHECK(precision.evidence.input_bits == bits);
        CHECK(precision.evidence.inexact_12_bits > 0.9);
        CHECK(precision.evidence.inexact_24_bits > 0.95);
        CHECK(precision.evidence.inexact_integers == 0);
        CHECK(precision.evidence.r > least_r);
        CHECK(precision.evidence.r < most_r);
    };
    check(Rounding::tf32_nearest, "TF32-grade", 11, 700, 1200);
    check(Rounding::tf32_truncated, "TF32-grade", 11, 1800, 3000);
    check(Rounding::bf16_nearest, "BF16-grade", 8, 5500, 9500);
    check(Rounding::bf16_truncated, "BF16-grade", 8, 14000, 25000);
    // Half precision holds neither 12-bit integers times 2^12 nor 2^60: its bits are told by its rounding.
    const Precision half = measured(of_rounded(Rounding::fp16_nearest));
    CHECK(to_string(half.grade) == "TF32-grade");
    CHECK(to_string(half.evidence.rounding) == "FP16, nearest");
    CHECK(half.evidence.out_of_range > 0.3);
}

TEST_CASE("a kernel of low precision that loses terms is wrong, not of low precision") {
    const auto loses_the_tail = [](const float* A, const float* B, float* C, int M, int N, int K) {
        std::vector<float> a(A, A + size_t(M) * N);
        for (int i = 0; i < M; ++i) {
            for (int n = N / 8 * 8; n < N; ++n) a[size_t(i) * N + n] = 0;
        }
        of_rounded(Rounding::tf32_nearest)(a.data(), B, C, M, N, K);
    };
    const Precision precision = measured(loses_the_tail);
    CHECK(to_string(precision.grade) == "wrong");
    CHECK(contains(precision.reason, "exact integer sums are off"));
}

TEST_CASE("adding blocks of A is normwise only") {
    const Precision precision = measured(adds_blocks);
    CAPTURE(precision.reason);
    CHECK(to_string(precision.grade) == "normwise-only");
    CHECK(precision.evidence.nonzero_in_zero_rows > 50);
    CHECK(precision.evidence.spread_special > 0);
}

TEST_CASE("an accumulator of 16 bits is named as what it is") {
    const auto shortened = [](const float* A, const float* B, float* C, int M, int N, int K) {
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) {
                float sum = 0;
                for (int n = 0; n < N; ++n) {
                    const float next = sum + A[size_t(i) * N + n] * B[size_t(n) * K + k];
                    sum = std::bit_cast<float>((std::bit_cast<uint32_t>(next) + 0x80) & ~0xffu);
                }
                C[size_t(i) * K + k] = sum;
            }
        }
    };
    const Precision precision = measured(shortened);
    CAPTURE(precision.reason);
    CHECK(to_string(precision.grade) == "wrong");
    CHECK(contains(precision.reason, "accumulator is shorter"));
}

TEST_CASE("a swapped pair, a lost term and an unwritten element are wrong") {
    const auto spoiled = [](const std::function<void(const float*, const float*, float*, int, int, int)>& spoil) {
        return [=](const float* A, const float* B, float* C, int M, int N, int K) {
            right_product(A, B, C, M, N, K);
            spoil(A, B, C, M, N, K);
        };
    };
    CHECK(grade_of(spoiled([](auto, auto, float* C, int, int, int) { std::swap(C[3], C[4]); })) == "wrong");
    CHECK(grade_of(spoiled([](const float* A, const float* B, float* C, int, int N, int K) {
              C[0] -= A[N - 1] * B[size_t(N - 1) * K];
          })) == "wrong");
    CHECK(grade_of([](const float*, const float*, float*, int, int, int) {}) == "wrong");
}

TEST_CASE("special values: which are lost, which are spread, which are flushed") {
    const auto loses = [](const float* A, const float* B, float* C, int M, int N, int K) {
        right_product(A, B, C, M, N, K);
        for (int64_t i = 0; i < int64_t{M} * K; ++i) C[i] = std::isfinite(C[i]) ? C[i] : 0;
    };
    const Precision lost = measured(loses);
    CHECK(to_string(lost.grade) == "wrong");
    CHECK(lost.evidence.lost_special == 48 + 40 - 1);
    CHECK(contains(lost.reason, "a term of"));

    const auto flushes = [](const float* A, const float* B, float* C, int M, int N, int K) {
        right_product(A, B, C, M, N, K);
        for (int64_t i = 0; i < int64_t{M} * K; ++i) {
            if (std::abs(C[i]) < std::numeric_limits<float>::min()) C[i] = 0;
        }
    };
    const Precision flushed = measured(flushes);
    CHECK(to_string(flushed.grade) == "FP32");
    CHECK(flushed.evidence.flushes_subnormals);
    CHECK(flushed.evidence.out_of_range == 0);
}

TEST_CASE(
    "products of prime sizes, of multiples of 128 and of many terms are among the probes, and the worst decides") {
    const auto low_where = [](auto applies) {
        return [=](const float* A, const float* B, float* C, int M, int N, int K) {
            applies(M, N, K) ? of_rounded(Rounding::tf32_nearest)(A, B, C, M, N, K) : right_product(A, B, C, M, N, K);
        };
    };
    const Precision even = measured(low_where([](int M, int N, int K) { return (M | N | K) % 32 == 0; }));
    CHECK(to_string(even.grade) == "TF32-grade");
    CHECK(contains(even.reason, "at 32x128x64 products of two numbers are off"));
    CHECK(even.evidence.input_bits == 24);
    REQUIRE(even.evidence.products.size() == 5);
    CHECK(even.evidence.products[0].exact.single_rho <= 1);
    CHECK(even.evidence.products[1].exact.single_rho > 1000);
    CHECK(grade_of(low_where([](int, int N, int) { return N == 53; })) == "TF32-grade");
    CHECK(grade_of(low_where([](int, int N, int) { return N > 1024; })) == "TF32-grade");
}

TEST_CASE("what is exact on whole numbers, and in 21 bits otherwise, is not FP32") {
    const auto of_21_bits = [](const float* A, const float* B, float* C, int M, int N, int K) {
        const auto shortened = [](const float* from, size_t count) {
            std::vector<float> values(from, from + count);
            for (float& value : values) {
                if (value == std::rint(value)) continue;
                value = std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 4) & ~7u);
            }
            return values;
        };
        right_product(shortened(A, size_t(M) * N).data(), shortened(B, size_t(N) * K).data(), C, M, N, K);
    };
    const Precision precision = measured(of_21_bits);
    CHECK(to_string(precision.grade) == "FP32-emulated");
    CHECK(precision.evidence.input_bits == 21);
}

TEST_CASE("adding rows of A that lie in the same half of it is normwise only") {
    // Three times the second eight rows of 16 are added to the first, and their product is taken away again.
    const auto adds_rows = [](const float* A, const float* B, float* C, int M, int N, int K) {
        std::vector<float> sum(A, A + size_t(M) * N), product(size_t(M) * K);
        const auto in_first = [&](int i) { return i % 16 < 8 && i + 8 < M; };
        for (int i = 0; i < M; ++i) {
            for (int n = 0; n < N && in_first(i); ++n) sum[size_t(i) * N + n] += 3 * A[size_t(i + 8) * N + n];
        }
        right_product(sum.data(), B, C, M, N, K);
        right_product(A, B, product.data(), M, N, K);
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K && in_first(i); ++k) C[size_t(i) * K + k] -= 3 * product[size_t(i + 8) * K + k];
        }
    };
    const Precision precision = measured(adds_rows);
    CAPTURE(precision.reason);
    CHECK(to_string(precision.grade) == "normwise-only");
    CHECK(precision.evidence.nonzero_in_zero_rows > 50);
}

TEST_CASE("a kernel that adds in another order each time is FP32 and not deterministic") {
    int calls = 0;
    const auto wavering = [&](const float* A, const float* B, float* C, int M, int N, int K) {
        right_product(A, B, C, M, N, K);
        if (N > 0 && ++calls % 2 == 0) C[0] = std::nextafter(C[0], 0.0f);
    };
    Precision precision = measured(wavering);
    CHECK(!precision.evidence.deterministic);
}
