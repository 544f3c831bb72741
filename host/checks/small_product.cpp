#include "checks/small_product.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/term_sums.h"

namespace judge {

namespace {

// Calls body(i) for each row of a product. An element is summed up by one thread, so that its bits do not depend on how
// many there are: one for each 2^21 multiply-adds, which take 1 ms, and 8 at most.
template <class Body>
void for_each_row(const Shape& shape, Body body) {
    const int64_t most = std::min<int64_t>(core_count(), 8);
    const int64_t threads = std::clamp<int64_t>(shape.c_elements() * shape.N >> 21, 1, most);
    in_parallel(threads, shape.M, [&](int64_t, int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) body(i);
    });
}

}  // namespace

Operands zeros(const Shape& shape) {
    return {shape, Matrix(shape.a_elements()), Matrix(shape.b_elements())};
}

Operands random_operands(const Shape& shape, uint64_t seed, Data data) {
    Operands operands = zeros(shape);
    for (size_t i = 0; i < operands.a.size(); ++i) operands.a[i] = element(random_a(mix(seed), data, shape.N), i);
    for (size_t i = 0; i < operands.b.size(); ++i) operands.b[i] = element(random_b(mix(seed + 1), data, shape.K), i);
    return operands;
}

Operands transposed(const Operands& of) {
    Operands operands = zeros({of.shape.K, of.shape.N, of.shape.M});
    for (int i = 0; i < operands.shape.M; ++i) {
        for (int n = 0; n < operands.shape.N; ++n) operands.A(i, n) = of.b[size_t(n) * of.shape.K + i];
    }
    for (int n = 0; n < operands.shape.N; ++n) {
        for (int k = 0; k < operands.shape.K; ++k) operands.B(n, k) = of.a[size_t(k) * of.shape.N + n];
    }
    return operands;
}

Matrix sequential_product(const Operands& operands) {
    const auto [M, N, K, L] = operands.shape;
    Matrix c(size_t(M) * K);
    for_each_row(operands.shape, [&, N = N, K = K](int64_t i) {
        float* const row = c.data() + i * K;
        for (int n = 0; n < N; ++n) {
            const double a = operands.a[i * N + n];
            const float* const b = operands.b.data() + size_t(n) * K;
            add_term_in_fp32(a, b, size_t(K), row);
        }
    });
    return c;
}

Exact exact_product(const Operands& operands) {
    const auto [M, N, K, L] = operands.shape;
    Exact exact{std::vector<double>(size_t(M) * K), std::vector<double>(size_t(M) * K)};
    for_each_row(operands.shape, [&, N = N, K = K](int64_t i) {
        double* const sum = exact.sum.data() + i * K;
        double* const magnitude = exact.magnitude.data() + i * K;
        for (int n = 0; n < N; ++n) {
            const double a = operands.a[i * N + n];
            const float* const b = operands.b.data() + size_t(n) * K;
            add_term(a, std::abs(a), b, size_t(K), sum, magnitude);
        }
    });
    return exact;
}

Exact product_of_rounded(const Operands& operands, Rounding rounding, RoundedOperands which) {
    Operands low = operands;
    if (which != RoundedOperands::b_alone) {
        for (float& value : low.a) value = rounded(rounding, value);
    }
    if (which != RoundedOperands::a_alone) {
        for (float& value : low.b) value = rounded(rounding, value);
    }
    return exact_product(low);
}

double frobenius_error(const Matrix& c, const Exact& exact) {
    double sum = 0;
    for (size_t i = 0; i < c.size(); ++i) sum += (c[i] - exact.sum[i]) * (c[i] - exact.sum[i]);
    return std::sqrt(sum);
}

bool is_roughly(const float* c, const Exact& exact) {
    for (size_t at = 0; at < exact.sum.size(); ++at) {
        if (!(std::abs(c[at] - exact.sum[at]) <= 0.02 * exact.magnitude[at])) return false;  // NaN, too
    }
    return true;
}

double share_different(const Matrix& c, const Matrix& want) {
    size_t different = 0;
    for (size_t i = 0; i < c.size(); ++i) different += !(c[i] == want[i]);
    return double(different) / double(c.size());
}

}  // namespace judge
