#include "host/checks/exact_product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

ExactFindings found_of(const Multiply& multiply, const Shape& shape, uint64_t seed = 3) {
    const auto device = make_host_device();
    std::vector<float> a(shape.a_elements()), b(shape.b_elements()), c(shape.c_elements());
    return check_exact_product(*device, a.data(), b.data(), c.data(), shape, seed, multiply);
}

Multiply right_and(const std::function<void(const float* A, const float* B, float* C, int N, int K)>& spoil) {
    return [=](const float* A, const float* B, float* C, int M, int N, int K) {
        right_product(A, B, C, M, N, K);
        spoil(A, B, C, N, K);
    };
}

}  // namespace

TEST_CASE("a right FP32 product is exact at every size and seed") {
    for (const Shape& shape : {Shape{1, 1, 1}, Shape{1, 3, 1}, Shape{2, 2, 2}, Shape{3, 5, 2}, Shape{40, 33, 50},
                               Shape{17, 1000, 1}, Shape{1, 300, 40}, Shape{3, 70'001, 5}}) {
        for (uint64_t seed = 0; seed < 5; ++seed) {
            CAPTURE(to_string(shape), seed);
            const ExactFindings found = found_of(right_product, shape, seed);
            CHECK(found.lost + found.inexact + found.nonzero == 0);
            CHECK(found.single_rho <= 1);
            CHECK(found.first == "");
            if (shape.M > 16 || shape.K > 16) CHECK(found.singles > 0);
        }
    }
    CHECK(found_of(right_product, {0, 3, 4}).singles == 0);
    CHECK(found_of(right_product, {3, 0, 4}).singles == 0);
}

TEST_CASE("the sums of whole numbers stay below 2^24, and no term is zero up to N = 2^24") {
    for (const int N : {1, 2, 3, 100, 4096, 1'000'000, 4'000'000, 10'000'000, (1 << 24) - 1, 1 << 24, 2147483647}) {
        const Lines a = whole_numbers(N, true), b = whole_numbers(N, false);
        CAPTURE(N);
        CHECK(a.most >= 1);
        CHECK(b.most >= 1);
        CHECK(a.most * b.most * (double(N) / (1 + a.zeros_mask)) < 0x1p24);
        CHECK((a.zeros_mask == 0) == (N < 1 << 24));
        CHECK(b.zeros_mask == 0);
    }
    CHECK(whole_numbers(100, true).most > 100);  // of many bits where there are few terms
}

TEST_CASE("one lost term, or one counted twice, in one element of a long sum is found and named") {
    const Shape shape{3, 50'000, 2};
    for (const int n : {0, 12'345, 49'999}) {
        for (const float sign : {-1.0f, 1.0f}) {
            CAPTURE(n, sign);
            const ExactFindings found = found_of(right_and([=](const float* A, const float* B, float* C, int N, int K) {
                                                     C[2 * K] += sign * A[2 * N + n] * B[n * K];
                                                 }),
                                                 shape);
            CHECK(found.lost == 1);
            CHECK(contains(found.first, "at (2, 0): got "));
        }
    }
}

TEST_CASE("an element that is off in any row of many is found") {
    const Shape shape{500, 8, 30};
    for (int row = 0; row < shape.M; row += 61) {
        CAPTURE(row);
        const ExactFindings found =
            found_of(right_and([=](const float*, const float*, float* C, int, int K) { C[row * K] += 1; }), shape);
        // One is added to a sum, to zeros, or to the product of two numbers.
        CHECK((found.lost + found.nonzero == 1 || found.single_rho > 1000 || row > 16));
        if (found.lost + found.nonzero == 0) CHECK(kind_of_line(mix(3), {1, 500}, row) == LineKind::single);
    }
    const ExactFindings unwritten =
        found_of(right_and([](const float*, const float*, float* C, int, int K) { C[400 * K + 29] = NAN; }), shape);
    CHECK(unwritten.lost >= 1);
    CHECK(found_of([](auto...) {}, shape).lost > 100);
}

TEST_CASE("rounded operands are told by the products of two numbers, whichever operand it is") {
    const auto rounded = [](const float* from, size_t count) {
        std::vector<float> values(from, from + count);
        for (float& value : values) value = std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000) & ~0x1fffu);
        return values;
    };
    const Shape shape{40, 3000, 36};
    const ExactFindings of_a = found_of([&](const float* A, const float* B, float* C, int M, int N,
                                            int K) { right_product(rounded(A, size_t(M) * N).data(), B, C, M, N, K); },
                                        shape);
    const ExactFindings of_b = found_of([&](const float* A, const float* B, float* C, int M, int N,
                                            int K) { right_product(A, rounded(B, size_t(N) * K).data(), C, M, N, K); },
                                        shape);
    for (const ExactFindings& found : {of_a, of_b}) {
        CHECK(found.lost + found.inexact + found.nonzero == 0);
        CHECK(found.single_rho > 1000);
        CHECK(found.single_rho <= 16384);
    }
}

TEST_CASE("sums of other numbers in between are no whole numbers, and not lost") {
    const ExactFindings found =
        found_of(right_and([](const float*, const float*, float* C, int, int) { C[0] += 0.25f; }), {20, 1000, 20});
    CHECK(found.inexact == 1);
    CHECK(found.lost == 0);
}

TEST_CASE("C in 11 bits loses units") {
    const auto shorten = [](const float*, const float*, float* C, int, int K) {
        for (int k = 0; k < K; ++k) C[k] = std::bit_cast<float>((std::bit_cast<uint32_t>(C[k]) + 0x1000) & ~0x1fffu);
    };
    CHECK(found_of(right_and(shorten), {4, 2000, 20}).lost > 10);
}
