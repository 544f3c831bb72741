#include "host/checks/interface_check.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "abi/solve.h"
#include "tests/catch.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

Verdict verdict_on(const Multiply& multiply, bool fp32 = true) {
    uint64_t seed = 0;
    return check_interface(*make_host_device(),
                           {multiply, SOLVE_ARITHMETIC_FP32, fp32, fp32, 8, [&] { return ++seed; }, 4, true});
}

// Leaves out the terms whose factor in A, or in B, is zero.
Multiply skipping_zeros(bool of_a) {
    return [=](const float* A, const float* B, float* C, int M, int N, int K) {
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) {
                float sum = 0;
                for (int n = 0; n < N; ++n) {
                    const float a = A[i * N + n], b = B[n * K + k];
                    if ((of_a ? a : b) != 0) sum += a * b;
                }
                C[i * K + k] = sum;
            }
        }
    };
}

}  // namespace

TEST_CASE("a right product keeps what the interface promises") {
    const Verdict verdict = verdict_on(right_product);
    CHECK(verdict.status == Status::ok);
    CHECK(verdict.message == "");
}

TEST_CASE("zero times infinity is NaN, of either factor, in the class FP32") {
    const Verdict of_a = verdict_on(skipping_zeros(true)), of_b = verdict_on(skipping_zeros(false));
    CHECK(of_a.status == Status::wrong);
    CHECK(contains(of_a.message, "0 times infinity is not NaN: (31, 7)"));
    CHECK(of_b.status == Status::wrong);
    CHECK(contains(of_b.message, "0 times infinity is not NaN: (11, 40)"));
    CHECK(verdict_on(skipping_zeros(true), false).status == Status::ok);
}

TEST_CASE("a single float read past the end of a matrix is found, and an input that is written") {
    const Verdict past = verdict_on([](const float* A, const float* B, float* C, int M, int N, int K) {
        right_product(A, B, C, M, N, K);
        [[maybe_unused]] const float value = *static_cast<const volatile float*>(B + N * K);
    });
    CHECK(past.status == Status::out_of_bounds);
    CHECK(past.message == "at 66x46x82 it read right past the end of B");
    const Verdict writes = verdict_on([](const float* A, const float* B, float* C, int M, int N, int K) {
        volatile float* const a = const_cast<float*>(A);
        *a = *a;
        right_product(A, B, C, M, N, K);
    });
    CHECK(writes.status == Status::input_modified);
    CHECK(writes.message == "at 66x46x82 it wrote to A");
}

TEST_CASE("A and B may be the same memory") {
    const Verdict verdict = verdict_on([](const float* A, const float* B, float* C, int M, int N, int K) {
        right_product(A, B, C, M, N, K);
        if (A != B || M != N || N != K) return;
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < i; ++k) C[i * K + k] = C[k * K + i];
        }
    });
    CHECK(verdict.status == Status::wrong);
    CHECK(
        contains(verdict.message, "wrong where A and B are the same memory, which abi/solve.h allows: at 64x64x64 ("));
}

TEST_CASE("small numbers, in A or in B, are not zero, where the exponents of FP32 are taken") {
    const auto without_small = [](const float* A, const float* B, float* C, int M, int N, int K, bool of_a) {
        const float* const factor = of_a ? A : B;
        const int size = of_a ? M * N : N * K;
        const bool small = std::all_of(factor, factor + size, [](float x) { return std::abs(x) < 1e-6f; });
        right_product(A, B, C, M, N, K);
        if (small) std::fill_n(C, M * K, 0.0f);
    };
    for (const bool of_a : {true, false}) {
        const auto skips = [&](const float* A, const float* B, float* C, int M, int N, int K) {
            without_small(A, B, C, M, N, K, of_a);
        };
        const Verdict verdict = verdict_on(skips);
        CHECK(verdict.status == Status::wrong);
        CHECK(contains(verdict.message, of_a ? "A of whole numbers times 2^-30" : "B times 2^-30"));
        CHECK(verdict_on(skips, false).status == Status::ok);
    }
}

TEST_CASE("a buffer that all calls share is wrong as soon as two of them are there at a time") {
    const Verdict verdict = verdict_on([](const float* A, const float* B, float* C, int M, int N, int K) {
        static float buffer[128 * 128];  // the product of a matrix with itself has 64 x 64
        std::copy_n(B, N * K, buffer);
        usleep(2000);  // until the other thread is here, on a busy machine too
        unit::multiply(A, buffer, C, {M, N, K});
    });
    CHECK(verdict.status == Status::wrong);
    CHECK(contains(verdict.message, "right alone, but not while another thread calls it on other matrices: "));
}
