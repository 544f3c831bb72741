#include "verify.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "copy.h"
#include "log.h"

namespace drop_in {

namespace {

// A matrix as it is used, rows x cols, copied to ordinary memory.
struct Matrix {
    std::vector<float> data;
    int64_t rows = 0, cols = 0, leading = 0;
    bool transposed = false;

    float at(int64_t i, int64_t j) const { return transposed ? data[j * leading + i] : data[i * leading + j]; }
};

bool fetch(Matrix& matrix, const float* first, int64_t stride, const float* const* array, int64_t product,
           void* stream) {
    const float* from = first + (array ? 0 : product * stride);
    if (array && !copy_after(stream, &from, array + product, sizeof(from))) return false;
    const int64_t lines = matrix.transposed ? matrix.cols : matrix.rows;
    const int64_t width = matrix.transposed ? matrix.rows : matrix.cols;
    matrix.data.resize((lines - 1) * matrix.leading + width);
    return copy_after(stream, matrix.data.data(), from, matrix.data.size() * sizeof(float));
}

double norm(const Matrix& matrix, int64_t row) {
    double sum = 0;
    for (int64_t j = 0; j < matrix.cols; ++j) sum += double(matrix.at(row, j)) * matrix.at(row, j);
    return std::sqrt(sum);
}

std::vector<double> times(const Matrix& matrix, const std::vector<double>& x) {
    std::vector<double> y(matrix.rows);
    for (int64_t i = 0; i < matrix.rows; ++i) {
        for (int64_t j = 0; j < matrix.cols; ++j) y[i] += matrix.at(i, j) * x[j];
    }
    return y;
}

}  // namespace

struct Verification {
    solve_gemm_t call;
    int64_t product = 0;
    Matrix before;  // C, if it is read
};

std::shared_ptr<const Verification> begin_verification(const solve_gemm_t& call) {
    if (!can_wait_for(call.stream)) {
        note("verify: not checked: the stream is being captured, or no driver is loaded");
        return nullptr;
    }
    static std::atomic<int64_t> count{0};
    const auto found = std::make_shared<Verification>(Verification{call, count++ % call.batch, {}});
    found->before = {{}, call.M, call.K, call.ldc, false};
    if (call.beta != 0.0f && !fetch(found->before, call.C, call.stride_c, call.C_array, found->product, call.stream)) {
        note("verify: not checked: C cannot be copied");
        return nullptr;
    }
    return found;
}

// Row i of the difference is the sum of the row's K errors, each with a random sign. An element's error is taken to be
// at most (4 + sqrt(N)) u |a_i| |b_j| in the Euclidean norms of its row and column (u = 2^-24), that of a sum whose
// roundings do not all go one way; a sum of K random signs exceeds 6 times its root mean square once in 10^7.
void finish_verification(const Verification& verification, const char* entry) {
    const solve_gemm_t& call = verification.call;
    Matrix a{{}, call.M, call.N, call.lda, call.transpose_a == SOLVE_T};
    Matrix b{{}, call.N, call.K, call.ldb, call.transpose_b == SOLVE_T};
    Matrix c{{}, call.M, call.K, call.ldc, false};
    Matrix bias{{}, 1, call.K, call.K, false};
    const int64_t product = verification.product;
    if (!fetch(a, call.A, call.stride_a, call.A_array, product, call.stream) ||
        !fetch(b, call.B, call.stride_b, call.B_array, product, call.stream) ||
        !fetch(c, call.C, call.stride_c, call.C_array, product, call.stream) ||
        (call.bias_kind && !fetch(bias, call.bias, call.stride_bias, nullptr, product, call.stream))) {
        return note("verify: not checked: a matrix cannot be copied");
    }
    std::mt19937_64 random(std::random_device{}());
    std::vector<double> x(call.K);
    for (double& each : x) each = random() & 1 ? 1 : -1;
    const std::vector<double> expected = times(a, times(b, x)), got = times(c, x);
    const double bias_sum = call.bias_kind ? times(bias, x)[0] : 0, bias_norm = call.bias_kind ? norm(bias, 0) : 0;
    double b_norm = 0;
    for (int64_t i = 0; i < call.N; ++i) b_norm = std::hypot(b_norm, norm(b, i));
    const double unit = 6 * (4 + std::sqrt(double(call.N))) * std::ldexp(1, -24);
    double worst = 0;
    int64_t where = 0;
    for (int64_t i = 0; i < call.M; ++i) {
        double want = call.alpha * expected[i] + bias_sum, scale = std::abs(call.alpha) * norm(a, i) * b_norm;
        for (int64_t j = 0; j < call.K && call.beta != 0.0f; ++j)
            want += call.beta * verification.before.at(i, j) * x[j];
        if (call.beta != 0.0f) scale += std::abs(call.beta) * norm(verification.before, i);
        if (!std::isfinite(want)) continue;  // NaN or infinity among the inputs
        const double ratio = std::abs(got[i] - want) / (unit * (scale + bias_norm) + 1e-37);
        if (!(ratio <= worst)) worst = std::isnan(ratio) ? INFINITY : ratio, where = i;
    }
    char text[200];
    std::snprintf(text, sizeof(text), "verify: %s: %s of %dx%dx%d (product %lld): %.3g of the bound, in row %lld",
                  worst <= 1 ? "right" : "WRONG", entry, call.M, call.N, call.K, static_cast<long long>(product), worst,
                  static_cast<long long>(where));
    note(text, !(worst <= 1));
}

}  // namespace drop_in
