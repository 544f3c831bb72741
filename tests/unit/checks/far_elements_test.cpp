#include "host/checks/far_elements.h"

#include <algorithm>
#include <cstdint>

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

using At = int64_t (*)(int64_t row, int64_t columns);

int64_t right(int64_t row, int64_t columns) {
    return row * columns;
}
int64_t of_an_unsigned(int64_t row, int64_t columns) {
    return static_cast<uint32_t>(row * columns);
}
int64_t of_an_int(int64_t row, int64_t columns) {
    return static_cast<int32_t>(row * columns);
}
int64_t of_bytes_in_an_unsigned(int64_t row, int64_t columns) {
    return static_cast<uint32_t>(4 * row * columns) / 4;
}

// In tiles of 8 x 8, in the order of the terms; where the rows of each matrix begin is told.
Multiply tiled(At in_a, At in_b, At in_c) {
    return [=](const float* A, const float* B, float* C, int M, int N, int K) {
        constexpr int kTile = 8;
        for (int i0 = 0; i0 < M; i0 += kTile) {
            for (int k0 = 0; k0 < K; k0 += kTile) {
                const int rows = std::min(kTile, M - i0), cols = std::min(kTile, K - k0);
                float sums[kTile][kTile] = {};
                for (int n = 0; n < N; ++n) {
                    for (int i = 0; i < rows; ++i) {
                        for (int k = 0; k < cols; ++k) sums[i][k] += A[in_a(i0 + i, N) + n] * B[in_b(n, K) + k0 + k];
                    }
                }
                for (int i = 0; i < rows; ++i) std::copy_n(sums[i], cols, C + in_c(i0 + i, K) + k0);
            }
        }
    };
}

std::string no_error() {
    return {};
}

std::string far_of(const Multiply& multiply) {
    return check_far_elements(multiply, no_error);
}

}  // namespace

TEST_CASE("who counts the elements of a matrix with 32 bits is told where it goes, and with 64 nothing is said") {
    CHECK(far_of(tiled(right, right, right)) == "");
    CHECK(contains(far_of(tiled(of_an_unsigned, right, right)), "of A in place of 4630207488, where row 3"));
    CHECK(contains(far_of(tiled(right, of_an_unsigned, right)), "of B in place of 4630207488, where row 3"));
    CHECK(contains(far_of(tiled(right, right, of_an_unsigned)), "of C in place of 4630207488, where row 3"));
    CHECK(contains(far_of(tiled(of_an_int, right, right)), "touches memory 4.5 GiB before A"));
    CHECK(contains(far_of(tiled(right, of_an_int, right)), "touches memory 4.5 GiB before B"));
    CHECK(contains(far_of(tiled(right, right, of_an_int)), "touches memory 4.5 GiB before C"));
    CHECK(contains(far_of(tiled(right, right, of_bytes_in_an_unsigned)), "where row 1 begins"));
}

TEST_CASE("who never comes to a second row is not blamed for how it counts") {
    CHECK(far_of([](const float* A, const float*, float* C, int, int, int) {
              for (volatile int64_t i = 0;;) {
                  C[i] = A[i];
                  i = i + 1;
              }
          }) == "");
}

TEST_CASE("who does nothing at such sizes is told, unless that is what it says") {
    const Multiply nothing = [](const float*, const float*, float*, int, int, int) {};
    CHECK(far_of(nothing) ==
          "it counts elements in 32 bits: at 16x16x1543402496 it does nothing, and reports no error");
    CHECK(check_far_elements(nothing, [] { return "too large"; }) == "");
    const Multiply small_only = [](const float*, const float*, float* C, int M, int, int K) {
        for (int64_t i = 0; i < int(unsigned(M) * unsigned(K)); ++i) C[i] = 0;
    };
    CHECK(contains(far_of(small_only), "it does nothing"));
}

TEST_CASE("a chain's matrices are looked at too") {
    const auto chain = [](At in_c) {
        return [in_c](const float*, const float*, const float* C, float* E, int, int, int K, int L) {
            for (int k = 0; k < K; ++k) E[int64_t{k} * L] = C[in_c(k, L)];
        };
    };
    CHECK(check_far_elements_of_chain(chain(right), no_error) == "");
    CHECK(contains(check_far_elements_of_chain(chain(of_an_unsigned), no_error), "of C in place of"));
}
