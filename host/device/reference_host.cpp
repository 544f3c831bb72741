// The reference over ordinary memory, on all cores.
#include "device/reference.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/term_sums.h"

namespace judge {

namespace {

void add_element(Comparison& into, int64_t row, int64_t col, double got, double want, double magnitude,
                 double rho_bound) {
    const double bound = rho_bound * kUnitRoundoff * magnitude;
    const double error = std::abs(got - want);
    bool bad = true;
    if (std::isnan(got)) {
        ++into.nan;
    } else if (std::isinf(got)) {
        ++into.inf;
    } else {
        bad = !(error <= bound);
        into.wrong += bad;
        const double rho = error == 0 ? 0 : error / (kUnitRoundoff * magnitude);
        into.max_error = std::max(into.max_error, error);
        into.rho = std::max(into.rho, rho);
        into.rho_sum_of_squares += rho * rho;
        into.error_sum_of_squares += error * error;
    }
    into.product_sum_of_squares += want * want;
    into.not_close += !close_enough(error, want);
    if (bad && !into.first) into.first = Mismatch{row, col, got, want, bound};
}

// One row of an FP64 product, and of the product of the absolute values.
struct RowProduct {
    std::vector<double> sum, magnitude;

    void assign(int columns) {
        sum.assign(columns, 0.0);
        magnitude.assign(columns, 0.0);
    }
    void add(double a, double absolute_a, const float* b) {
        add_term(a, absolute_a, b, sum.size(), sum.data(), magnitude.data());
    }
};

// Calls reference(i, product), which fills in the product and returns its row, for each i, and compares that row of C.
// A row takes so many multiply-adds.
template <class Reference>
Comparison compare_rows(int64_t count, int columns, double multiply_adds, const float* C, double rho_bound,
                        Reference reference) {
    std::vector<Comparison> parts(parts_of(count, multiply_adds));
    in_parallel(int64_t(parts.size()), count, [&](int64_t part, int64_t first, int64_t last) {
        RowProduct product;
        for (int64_t i = first; i < last; ++i) {
            const int64_t row = reference(i, product);
            for (int k = 0; k < columns; ++k) {
                add_element(parts[part], row, k, C[row * columns + k], product.sum[k], product.magnitude[k], rho_bound);
            }
        }
        parts[part].compared = uint64_t(last - first) * columns;
    });
    Comparison whole;
    for (const Comparison& part : parts) whole = merge(whole, part);
    return whole;
}

// The columns `from` to `to` of one row of a product, into the sums that begin at `at`.
void add_terms(const float* a, const float* B, const Shape& shape, int64_t from, int64_t to, RowSums& sums,
               int64_t at) {
    for (int64_t n = 0; n < shape.N; ++n) {
        const float* const b = B + n * shape.K + from;
        const size_t count = size_t(to - from), first = size_t(at + from);
        add_term(a[n], std::abs(double(a[n])), b, count, &sums.exact[first], &sums.magnitude[first]);
        add_term_in_fp32(a[n], b, count, &sums.sequential[first]);
    }
}

class HostReference final : public Reference {
  public:
    Comparison compare(const float* A, const float* B, const float* C, const Shape& shape, double rho_bound,
                       const std::vector<int>& rows) override {
        const int64_t count = rows.empty() ? shape.M : int64_t(rows.size());
        const double multiply_adds = double(shape.N) * shape.K;
        return compare_rows(count, shape.K, multiply_adds, C, rho_bound,
                            [&, columns = shape.K](int64_t i, RowProduct& product) {
                                const int64_t row = rows.empty() ? i : rows[i];
                                product.assign(columns);
                                for (int64_t n = 0; n < shape.N; ++n) {
                                    const double a = A[row * shape.N + n];
                                    product.add(a, std::abs(a), B + n * columns);
                                }
                                return row;
                            });
    }

    Comparison compare_chain(const float* A, const float* B, const float* C, const float* E, const Shape& shape,
                             double rho_bound, const std::vector<int>& rows) override {
        const int64_t count = rows.empty() ? shape.M : int64_t(rows.size());
        const double multiply_adds = double(shape.K) * (double(shape.N) + shape.L);
        return compare_rows(count, shape.L, multiply_adds, E, rho_bound, [&](int64_t i, RowProduct& product) {
            const int64_t row = rows.empty() ? i : rows[i];
            RowProduct first;  // of A and B
            first.assign(shape.K);
            for (int64_t n = 0; n < shape.N; ++n) {
                const double a = A[row * shape.N + n];
                first.add(a, std::abs(a), B + n * shape.K);
            }
            product.assign(shape.L);
            for (int64_t k = 0; k < shape.K; ++k) {
                product.add(first.sum[k], first.magnitude[k], C + k * shape.L);
            }
            return row;
        });
    }

    // The product of two floats is exact in FP64, so that a sum rounds twice, otherwise than fmaf once in 2^29 times.
    RowSums row_sums(const float* A, const float* B, const Shape& shape, const std::vector<int>& rows) override {
        const int64_t K = shape.K, size = int64_t(rows.size()) * K;
        RowSums sums{std::vector<double>(size), std::vector<double>(size), std::vector<float>(size)};
        // Cut by elements, each of which one thread sums up: there are few rows, and K may be 1.
        in_parallel(parts_of(size, shape.N), size, [&](int64_t, int64_t first, int64_t last) {
            for (int64_t i = first / K; i * K < last; ++i) {
                const int64_t from = std::max(first - i * K, int64_t{0}), to = std::min(last - i * K, K);
                add_terms(A + rows[i] * int64_t{shape.N}, B, shape, from, to, sums, i * K);
            }
        });
        return sums;
    }

    std::vector<double> multiply(const float* matrix, int64_t rows, int64_t cols, const std::vector<double>& x,
                                 bool absolute) override {
        std::vector<double> y(rows);
        in_parallel(parts_of(rows, cols), rows, [&](int64_t, int64_t first, int64_t last) {
            for (int64_t i = first; i < last; ++i) {
                const float* const row = matrix + i * cols;
                double sum = 0;
                for (int64_t j = 0; j < cols; ++j) sum += (absolute ? std::abs(double(row[j])) : double(row[j])) * x[j];
                y[i] = sum;
            }
        });
        return y;
    }

    // 0.8e9 per second on one core at 4 operations each, measured on a 2-core EPYC virtual machine.
    double comparison_budget() const override { return 1.6e9 * double(core_count()); }
};

}  // namespace

std::unique_ptr<Reference> make_host_reference() {
    return std::make_unique<HostReference>();
}

}  // namespace judge
