// One level of Strassen's method, for bad plugins.
#pragma once

#include <vector>

#include "multiply.h"

using Matrix = std::vector<float>;

// Quarter (row, col) of a rows x cols matrix, as a matrix of `height` x `width`, filled up with zeros.
static Matrix quarter(const float* from, int rows, int cols, int row, int col, int height, int width) {
    Matrix to(size_t(height) * width);
    for (int i = 0; i < height && row * height + i < rows; ++i) {
        for (int j = 0; j < width && col * width + j < cols; ++j) {
            to[size_t(i) * width + j] = from[size_t(row * height + i) * cols + col * width + j];
        }
    }
    return to;
}

static Matrix sum(const Matrix& x, const Matrix& y, float sign) {
    Matrix z = x;
    for (size_t i = 0; i < z.size(); ++i) z[i] += sign * y[i];
    return z;
}

static void strassen(const float* A, const float* B, float* C, int M, int N, int K) {
    const int m = (M + 1) / 2, n = (N + 1) / 2, k = (K + 1) / 2;
    const auto a = [&](int row, int col) { return quarter(A, M, N, row, col, m, n); };
    const auto b = [&](int row, int col) { return quarter(B, N, K, row, col, n, k); };
    const auto product = [&](const Matrix& x, const Matrix& y) {
        Matrix z(size_t(m) * k);
        multiply(x.data(), y.data(), z.data(), m, n, k);
        return z;
    };
    const Matrix m1 = product(sum(a(0, 0), a(1, 1), 1), sum(b(0, 0), b(1, 1), 1));
    const Matrix m2 = product(sum(a(1, 0), a(1, 1), 1), b(0, 0));
    const Matrix m3 = product(a(0, 0), sum(b(0, 1), b(1, 1), -1));
    const Matrix m4 = product(a(1, 1), sum(b(1, 0), b(0, 0), -1));
    const Matrix m5 = product(sum(a(0, 0), a(0, 1), 1), b(1, 1));
    const Matrix m6 = product(sum(a(1, 0), a(0, 0), -1), sum(b(0, 0), b(0, 1), 1));
    const Matrix m7 = product(sum(a(0, 1), a(1, 1), -1), sum(b(1, 0), b(1, 1), 1));
    const Matrix quarters[2][2] = {{sum(sum(m1, m4, 1), sum(m7, m5, -1), 1), sum(m3, m5, 1)},
                                   {sum(m2, m4, 1), sum(sum(m1, m2, -1), sum(m3, m6, 1), 1)}};
    for (int i = 0; i < M; ++i) {
        for (int j = 0; j < K; ++j) C[size_t(i) * K + j] = quarters[i / m][j / k][size_t(i % m) * k + j % k];
    }
}
