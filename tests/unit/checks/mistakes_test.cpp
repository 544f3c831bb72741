#include <limits>

#include "host/checks/mistakes.h"

#include "tests/catch.h"

using namespace judge;

namespace {

const Operands kOperands = random_operands({12, 7, 9}, 5, Data::integers);

// C(i, k) at index(i, k), of A and B as these say.
Matrix product(size_t (*a)(int i, int n), size_t (*b)(int n, int k), size_t (*c)(int i, int k), float factor = 1) {
    const auto [M, N, K, L] = kOperands.shape;
    Matrix result(size_t(M) * K);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += kOperands.a[a(i, n)] * kOperands.b[b(n, k)];
            result[c(i, k)] = factor * sum;
        }
    }
    return result;
}

constexpr int M = 12, N = 7, K = 9;
size_t a_rows(int i, int n) {
    return i * N + n;
}
size_t a_columns(int i, int n) {
    return n * M + i;
}
size_t b_rows(int n, int k) {
    return n * K + k;
}
size_t b_columns(int n, int k) {
    return k * N + n;
}
size_t c_rows(int i, int k) {
    return i * K + k;
}
size_t c_columns(int i, int k) {
    return k * M + i;
}

bool says(const Matrix& c, const std::string& part) {
    const std::string text = other_product(kOperands, c);
    INFO(text);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("each product that is confused with A * B is told by name") {
    CHECK(says(product(a_rows, b_rows, c_columns), "C comes out column-major"));
    CHECK(says(product(a_columns, b_columns, c_columns), "all matrices as column-major"));
    CHECK(says(product(a_rows, b_columns, c_rows), "takes B as transposed"));
    CHECK(says(product(a_columns, b_rows, c_rows), "takes A as transposed"));
    CHECK(says(product(a_columns, b_columns, c_rows), "A and B as column-major"));
    CHECK(says(product(a_rows, b_rows, c_rows, 2.5f), "C is 2.5 A B"));
    CHECK(says(product(a_rows, b_rows, c_rows, -1), "C is -1 A B"));
}

TEST_CASE("the right product is no other one, and what is none of them is not explained") {
    Matrix c = product(a_rows, b_rows, c_rows);
    CHECK(other_product(kOperands, c).empty());
    c[5] += 1;
    CHECK(other_product(kOperands, c).empty());
    CHECK(other_product(kOperands, Matrix(c.size(), 0.0f)).empty());
    CHECK(other_product(kOperands, Matrix(c.size(), std::numeric_limits<float>::quiet_NaN())).empty());
}
