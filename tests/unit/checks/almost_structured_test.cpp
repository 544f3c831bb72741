#include "host/checks/almost_structured.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

void right(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, {M, N, K});
}

std::string told(const Multiply& multiply, bool fp32 = true) {
    return check_almost_structured(*make_host_device(), multiply, 3, {.side = 64, .fp32 = fp32});
}

// Whether what holds(i, j) asks of an element holds of every `step`th one.
template <class Holds>
bool seems(int rows, int columns, int step, Holds holds) {
    for (int at = 0; at < rows * columns; at += step) {
        if (!holds(at / columns, at % columns)) return false;
    }
    return true;
}

// Replaces A by what it is taken for.
template <class Holds, class Element>
Multiply concluding(int step, Holds holds, Element element) {
    return [=](const float* A, const float* B, float* C, int M, int N, int K) {
        std::vector<float> a(A, A + M * N);
        const bool concluded = seems(M, N, step, [&](int i, int j) { return holds(A, N, i, j); });
        for (int at = 0; concluded && at < M * N; ++at) a[at] = element(A, N, at / N, at % N);
        right(a.data(), B, C, M, N, K);
    };
}

}  // namespace

TEST_CASE("a right product is right with matrices that are structured but for two elements") {
    CHECK(told(right) == "");
}

TEST_CASE("zeros, a symmetric A and equal rows that are concluded from a sample are told") {
    const auto is_zero = [](const float* A, int N, int i, int j) { return A[i * N + j] == 0; };
    const auto zero = [](const float*, int, int, int) { return 0.0f; };
    const auto is_mirrored = [](const float* A, int N, int i, int j) { return A[i * N + j] == A[j * N + i]; };
    const auto lower = [](const float* A, int N, int i, int j) { return A[std::max(i, j) * N + std::min(i, j)]; };
    const auto is_above = [](const float* A, int N, int i, int j) { return A[i * N + j] == A[j]; };
    const auto above = [](const float* A, int, int, int j) { return A[j]; };
    for (const int step : {5, 64, 67}) {
        CAPTURE(step);
        CHECK(contains(told(concluding(step, is_zero, zero)), "not where A is zero and B random but for"));
        CHECK(contains(told(concluding(step, is_mirrored, lower)), "what holds of some elements is taken to hold of"));
        CHECK(contains(told(concluding(step, is_above, above)), "what holds of some elements is taken to hold of"));
    }
}

TEST_CASE("whole numbers that are concluded from a sample are told, also where only long ones are not what they seem") {
    const auto is_whole = [](const float* A, int N, int i, int j) { return A[i * N + j] == std::floor(A[i * N + j]); };
    const auto whole = [](const float* A, int N, int i, int j) { return std::floor(A[i * N + j]); };
    CHECK(contains(told(concluding(16, is_whole, whole)), "but for fractions at"));
    const auto is_short = [](const float* A, int N, int i, int j) { return std::abs(A[i * N + j]) < 32768; };
    const auto of_16_bits = [](const float* A, int N, int i, int j) {
        return std::clamp(A[i * N + j], -32768.f, 32767.f);
    };
    const std::string wrong = told(concluding(16, is_short, of_16_bits));
    CHECK(contains(wrong, "but for numbers of 17 bits at"));
    const auto is_any = [](const float*, int, int, int) { return true; };
    CHECK(told(concluding(16, is_any, of_16_bits)) == "");  // not concluded, but always so
    CHECK(told(concluding(16, is_short, of_16_bits), false) == "");
}

TEST_CASE("terms that are left out because a matrix holds mostly zeros are told where the other holds a NaN") {
    const Multiply skips = [](const float* A, const float* B, float* C, int M, int N, int K) {
        if (std::count(A, A + M * N, 0.0f) < M * N / 3) return right(A, B, C, M, N, K);
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) {
                float sum = 0;
                for (int n = 0; n < N; ++n) sum += A[i * N + n] != 0 ? A[i * N + n] * B[n * K + k] : 0;
                C[i * K + k] = sum;
            }
        }
    };
    CHECK(contains(told(skips), "right on finite numbers, but not where A is zero and ("));
    CHECK(told(skips, false) == "");
}

TEST_CASE("what is not exact on full matrices is not blamed on what they hold") {
    CHECK(told([](const float* A, const float* B, float* C, int M, int N, int K) {
              right(A, B, C, M, N, K);
              for (int i = 0; i < M * K; ++i) C[i] *= 1.01f;
          }) == "");
}
