#include "checks/exact_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "checks/guarded_matrix.h"
#include "values/comparison.h"

namespace judge {

namespace {

constexpr int kLargestSum = 1 << 22, kMostRows = 64;

class ExactProduct {
  public:
    ExactProduct(Device& device, float* A, float* B, float* C, const Shape& shape, uint64_t seed)
        : device_(device), shape_(shape), A_(A), B_(B), C_(C), a_{mix(seed)}, b_{mix(seed + 1)}, random_seed_(seed) {
        a_.lines = whole_numbers(shape.N, true);
        b_.lines = whole_numbers(shape.N, false);
        a_.lines.columns = shape.N;
        a_.lines.count = shape.M;
        b_.lines.columns = b_.lines.count = shape.K;
        a_.lines.term = b_.lines.term = static_cast<int64_t>(random_bits(seed, 0) % uint64_t(shape.N));
        for (int k = 0; k < shape.K; ++k) {
            columns_.push_back(kind_of_line(b_.seed, b_.lines, k));
            terms_of_b_.push_back(element(b_, b_.lines.term * shape.K + k));
        }
    }

    void make(const Multiply& multiply) const {
        device_.fill_random(A_, shape_.a_elements(), a_);
        device_.fill_random(B_, shape_.b_elements(), b_);
        device_.fill(C_, shape_.c_elements(), kPoison);
        device_.synchronize();
        multiply(A_, B_, C_, shape_.M, shape_.N, shape_.K);
        device_.synchronize();
    }

    ExactFindings look() {
        for (const int row : some_rows()) look_at_single_terms(row);
        std::vector<int> off = rows_off();
        // Each whole row that is off is looked at element by element, and one is enough to say what is wrong.
        off.resize(std::min<size_t>(off.size(), 4));
        if (!off.empty()) look_at_sums(off);
        return found_;
    }

  private:
    LineKind kind_of_row(int row) const { return kind_of_line(a_.seed, a_.lines, row); }

    std::vector<float> row_of_c(int row) const {
        std::vector<float> values(shape_.K);
        device_.read(values.data(), C_ + int64_t{row} * shape_.K, values.size());
        return values;
    }

    // The first 16, among which are all kinds, the last, and others.
    std::vector<int> some_rows() const {
        const int wanted = std::clamp((1 << 20) / shape_.K, 17, kMostRows);
        std::set<int> rows{shape_.M - 1};
        for (int i = 0; i < std::min(16, shape_.M); ++i) rows.insert(i);
        for (uint64_t i = 1; static_cast<int>(rows.size()) < std::min(wanted, shape_.M); ++i) {
            rows.insert(static_cast<int>(random_bits(random_seed_, i) % uint64_t(shape_.M)));
        }
        return {rows.begin(), rows.end()};
    }

    void look_at_single_terms(int row) {
        const LineKind kind = kind_of_row(row);
        const double a = element(a_, int64_t{row} * shape_.N + a_.lines.term);
        const std::vector<float> c = row_of_c(row);
        for (int k = 0; k < shape_.K; ++k) {
            if (kind == LineKind::whole && columns_[k] == LineKind::whole) continue;
            const double want = a * terms_of_b_[k];
            // Half of one term, and more than sums that were added and taken away again are rounded by: lost.
            if (!(std::abs(c[k] - want) < std::max(4.0, want / 2))) {
                add_lost(row, k, c[k], want);
            } else if (want == 0) {
                found_.nonzero += c[k] != 0;
            } else {
                ++found_.singles;
                const double rho = std::abs(c[k] - want) / (kUnitRoundoff * want);
                found_.single_rho = std::max(found_.single_rho, rho);
                found_.singles_off += !(rho <= 1);
            }
        }
    }

    // Freivalds' test, C x against A (B x), with whole numbers x for the whole columns and the empty ones: all sums are
    // below 2^53, so that FP64 makes no error, and none is allowed.
    std::vector<int> rows_off() const {
        const auto most = std::clamp<uint64_t>((uint64_t{1} << 29) / shape_.K, 1, 1 << 20);
        std::vector<double> x(shape_.K);
        for (int k = 0; k < shape_.K; ++k) {
            const uint64_t bits = random_bits(random_seed_ + 1, k);
            const double size = 1 + double((bits >> 1) % most);
            if (columns_[k] != LineKind::single) x[k] = bits & 1 ? size : -size;
        }
        Reference& reference = device_.reference();
        const auto y = reference.multiply(C_, shape_.M, shape_.K, x, false);
        const auto z =
            reference.multiply(A_, shape_.M, shape_.N, reference.multiply(B_, shape_.N, shape_.K, x, false), false);
        std::vector<int> off;
        for (int row = 0; row < shape_.M; ++row) {
            if (kind_of_row(row) != LineKind::single && !(y[row] == z[row])) off.push_back(row);
        }
        return off;
    }

    void look_at_sums(const std::vector<int>& rows) {
        const RowSums sums = device_.reference().row_sums(A_, B_, shape_, rows);
        for (size_t i = 0; i < rows.size(); ++i) {
            const std::vector<float> c = row_of_c(rows[i]);
            for (int k = 0; k < shape_.K; ++k) {
                const double want = sums.exact[i * shape_.K + k];
                if (c[k] == want) continue;
                if (std::isfinite(c[k]) && columns_[k] == LineKind::single) continue;
                const bool of_nothing = columns_[k] == LineKind::empty || kind_of_row(rows[i]) == LineKind::empty;
                if (std::isfinite(c[k]) && of_nothing) {
                    ++found_.nonzero;
                } else if (std::abs(c[k] - want) < 0.5) {
                    ++found_.inexact;
                } else {
                    add_lost(rows[i], k, c[k], want);
                }
            }
        }
    }

    void add_lost(int row, int column, double got, double want) {
        if (++found_.lost > 1) return;
        found_.first = fmt::format("at ({}, {}): got {:.9g}, want {:.9g}", row, column, got, want);
    }

    Device& device_;
    Shape shape_;
    float *A_, *B_, *C_;
    RandomMatrix a_, b_;
    uint64_t random_seed_;
    std::vector<LineKind> columns_;
    std::vector<float> terms_of_b_;  // the row of B that holds the one number of a single line
    ExactFindings found_;
};

}  // namespace

Lines whole_numbers(int N, bool of_a) {
    Lines lines;
    lines.are_rows = of_a;
    const int largest_product = std::max(1, kLargestSum / N);
    const int of_lines_of_a = std::min(255, static_cast<int>(std::sqrt(largest_product)));
    lines.most = of_a ? of_lines_of_a : std::min(255, largest_product / of_lines_of_a);
    while (of_a && N >= 1 << 24 && N / (int64_t{1} + lines.zeros_mask) > kLargestSum) {
        lines.zeros_mask = 2 * lines.zeros_mask + 1;
    }
    return lines;
}

ExactFindings check_exact_product(Device& device, float* A, float* B, float* C, const Shape& shape, uint64_t seed,
                                  const Multiply& multiply) {
    if (shape.M == 0 || shape.N == 0 || shape.K == 0) return {};
    ExactProduct product(device, A, B, C, shape, seed);
    product.make(multiply);
    return product.look();
}

}  // namespace judge
