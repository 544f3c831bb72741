#include "checks/probes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <ctime>
#include <limits>

#include "checks/bound.h"
#include "checks/guarded_matrix.h"
#include "checks/small_product.h"
#include "values/comparison.h"

namespace judge {

namespace {

// A random whole number of [0, count).
int pick(uint64_t seed, uint64_t index, int count) {
    return static_cast<int>((random_bits(seed, index) >> 32) * uint64_t(count) >> 32);
}

// Odd, with its highest bit set: `bits` significant bits, no fewer.
float odd_number(int bits, uint64_t seed, uint64_t index) {
    const int top = 1 << (bits - 1);
    return static_cast<float>(top + (pick(seed, index, top) | 1));
}

// Infinite if an element of C is not finite.
Gate gate_of(const Matrix& c, const Exact& exact, int N) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double unit = kUnitRoundoff * rho_bound(N, SOLVE_ARITHMETIC_FP32_EMULATED);
    Gate result;
    double errors = 0, magnitudes = 0;
    for (size_t i = 0; i < c.size(); ++i) {
        if (!std::isfinite(c[i])) return {kInfinity, kInfinity};
        const double error = std::abs(c[i] - exact.sum[i]);
        if (error > 0) result.elementwise = std::max(result.elementwise, error / (unit * exact.magnitude[i]));
        errors += error * error;
        magnitudes += exact.magnitude[i] * exact.magnitude[i];
    }
    if (errors > 0) result.normwise = std::sqrt(errors / magnitudes) / unit;
    return result;
}

class Probes {
  public:
    Probes(Device& device, const Multiply& multiply, uint64_t seed, const ProbeSizes& sizes)
        : device_(device), multiply_(multiply), seed_(seed), sizes_(sizes) {}

    Evidence run(bool with_specials) {
        zero_mean_wide_and_cancelling();
        positive();
        integers();
        input_bits();
        accumulator();
        range();
        if (with_specials) specials();
        zero_lines();
        for (const Shape& shape : {sizes_.odd, sizes_.even, sizes_.many}) found_.products.push_back(products(shape));
        double single_rho = 0;
        for (const ShapeEvidence& product : found_.products)
            single_rho = std::max(single_rho, product.exact.single_rho);
        for (const Shape& shape : kThinShapes) {
            if (!sizes_.thin) continue;
            found_.products.push_back(products(shape));
            found_.products.back().probes_single_rho = single_rho;  // it has few products of two numbers, or none
        }
        if (sizes_.large) large_products();
        return found_;
    }

  private:
    Matrix call(const Operands& operands) const {
        const auto [M, N, K, L] = operands.shape;
        const GuardedMatrix A(device_, operands.a.size(), 0), B(device_, operands.b.size(), 0);
        const GuardedMatrix C(device_, int64_t{M} * K, 0);
        device_.write(A.data(), operands.a.data(), operands.a.size());
        device_.write(B.data(), operands.b.data(), operands.b.size());
        device_.fill(C.data(), C.elements(), kPoison);
        device_.synchronize();
        multiply_(A.data(), B.data(), C.data(), M, N, K);
        device_.synchronize();
        Matrix c(C.elements());
        device_.read(c.data(), C.data(), c.size());
        return c;
    }

    // The largest share of inexact elements, of a probe and of the same with A and B exchanged.
    double inexact_either_way(const Operands& operands) const {
        const Operands mirrored = transposed(operands);
        return std::max(share_different(call(operands), sequential_product(operands)),
                        share_different(call(mirrored), sequential_product(mirrored)));
    }

    // Z1, Z3, X1 and, where C is not the product of A and B, of which rounding of theirs it is.
    void zero_mean_wide_and_cancelling() {
        const Shape& shape = sizes_.shape;
        const Operands operands[] = {random_operands(shape, seed_, Data::uniform),
                                     random_operands(shape, seed_ + 2, Data::wide), cancelling_operands()};
        Gate* const gates[] = {&found_.zero_mean, &found_.wide, &found_.cancelling};
        Matrix c[3];
        for (int i = 0; i < 3; ++i) {
            c[i] = call(operands[i]);
            const Exact exact = exact_product(operands[i]);
            *gates[i] = gate_of(c[i], exact, shape.N);
            if (i > 0) continue;
            found_.r = frobenius_error(c[i], exact) / frobenius_error(sequential_product(operands[i]), exact);
        }
        const auto same_bits = [&](const Matrix& again) {
            return std::equal(again.begin(), again.end(), c[0].begin(), [](float x, float y) {
                return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y);
            });
        };
        found_.deterministic = same_bits(call(operands[0])) && same_bits(call(operands[0]));

        const bool holds = std::all_of(std::begin(gates), std::end(gates), [](Gate* g) { return g->elementwise <= 1; });
        if (holds) return;
        // Tensor cores truncate their sums, which doubles the error of an addition.
        double least = 2;
        for (const auto which : {RoundedOperands::both, RoundedOperands::a_alone, RoundedOperands::b_alone}) {
            for (const Rounding rounding : {Rounding::tf32_nearest, Rounding::tf32_truncated, Rounding::fp16_nearest,
                                            Rounding::bf16_nearest, Rounding::bf16_truncated}) {
                double most = 0;
                for (int i = 0; i < 3 && most <= least; ++i) {
                    const Exact exact = product_of_rounded(operands[i], rounding, which);
                    most = std::max(most, gate_of(c[i], exact, shape.N).elementwise);
                }
                if (most <= least) {
                    least = most;
                    found_.rounding = rounding, found_.rounded = which;
                }
            }
            if (found_.rounding != Rounding::none) return;
        }
    }

    Operands cancelling_operands() const {
        Operands operands = random_operands(sizes_.shape, seed_ + 4, Data::uniform);
        const int half = sizes_.shape.N / 2;
        for (int n = 0; n < half; ++n) {
            for (int i = 0; i < sizes_.shape.M; ++i) operands.A(i, half + n) = operands.A(i, n);
            for (int k = 0; k < sizes_.shape.K; ++k) {
                operands.B(half + n, k) = -operands.B(n, k) + operands.B(half + n, k) * 0x1p-20f;
            }
        }
        return operands;
    }

    // Z2
    void positive() {
        const Operands operands = random_operands(sizes_.deep, seed_ + 6, Data::positive);
        const Exact exact = exact_product(operands);
        found_.r_positive =
            frobenius_error(call(operands), exact) / frobenius_error(sequential_product(operands), exact);
    }

    // I1 and I2
    void integers() {
        const int most = std::min(255, int(std::sqrt(0x1p24 / sizes_.prime.N)));
        Operands operands = zeros(sizes_.prime);
        for (size_t i = 0; i < operands.a.size(); ++i) operands.a[i] = float(pick(seed_ + 8, i, 2 * most + 1) - most);
        for (size_t i = 0; i < operands.b.size(); ++i) operands.b[i] = float(pick(seed_ + 9, i, 2 * most + 1) - most);
        const Matrix c = call(operands);
        found_.integers = gate_of(c, exact_product(operands), operands.shape.N);
        found_.inexact_integers = share_different(c, sequential_product(operands));

        operands = zeros(sizes_.exact);
        for (size_t i = 0; i < operands.a.size(); ++i) operands.a[i] = odd_number(12, seed_ + 10, i);
        for (size_t i = 0; i < operands.b.size(); ++i) operands.b[i] = float(pick(seed_ + 11, i, 3) - 1);
        found_.inexact_12_bits = inexact_either_way(operands);
    }

    // I3. Row i of A holds numbers of 24 - i % 17 bits, and each column of B one 1/16: no whole numbers, which may have
    // a way of their own.
    void input_bits() {
        constexpr int kLeast = 8, kMost = 24;
        const auto bits_of = [](int i) { return kMost - i % (kMost - kLeast + 1); };
        Operands operands = zeros(sizes_.exact);
        const auto [M, N, K, L] = operands.shape;
        for (int i = 0; i < M; ++i) {
            for (int n = 0; n < N; ++n)
                operands.A(i, n) = odd_number(bits_of(i), seed_ + 12, uint64_t(i) * N + n) * 0x1p-12f;
        }
        for (int k = 0; k < K; ++k) operands.B(pick(seed_ + 13, k, N), k) = 0x1p-4f;

        size_t inexact[kMost + 1] = {}, all[kMost + 1] = {};
        const Matrix c = call(operands), want = sequential_product(operands);
        const Matrix mirrored = call(transposed(operands));
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) {
                const float value = want[size_t(i) * K + k];
                all[bits_of(i)] += 2;
                inexact[bits_of(i)] += !(c[size_t(i) * K + k] == value);
                inexact[bits_of(i)] += !(mirrored[size_t(k) * M + i] == value);
            }
        }
        found_.inexact_24_bits = double(inexact[kMost]) / double(all[kMost]);
        found_.input_bits = kLeast - 1;
        for (int bits = kLeast; bits <= kMost && inexact[bits] == 0; ++bits) found_.input_bits = bits;
    }

    // I4. Operands that every format holds, and a sum of 2^23 and a few ones, times 2^-9.
    void accumulator() {
        Operands operands = zeros(sizes_.exact);
        for (size_t i = 0; i < operands.a.size(); ++i) operands.a[i] = float(pick(seed_ + 14, i, 2)) * 0x1p-5f;
        std::fill(operands.b.begin(), operands.b.end(), 0x1p-4f);
        for (int i = 0; i < sizes_.exact.M; ++i) operands.A(i, 0) = 0x1p7f;
        for (int k = 0; k < sizes_.exact.K; ++k) operands.B(0, k) = 0x1p7f;
        found_.inexact_accumulator = share_different(call(operands), sequential_product(operands));
    }

    // R1. A holds powers of two, each column of B one: their products are exact, and checked by their bits, since a
    // plugin may have switched subnormals off for the whole process, the judge's own arithmetic included.
    void range() {
        constexpr int kOfA[] = {0, 60, -60, 100, -100, -130, -149}, kOfB[] = {0, 20, -20, -60};
        constexpr int kLeastNormal = -126, kLeast = -149;
        const auto power = [](int exponent) {
            return exponent >= kLeastNormal ? uint32_t(127 + exponent) << 23 : uint32_t{1} << (exponent - kLeast);
        };
        Operands operands = zeros(sizes_.exact);
        const auto [M, N, K, L] = operands.shape;
        const auto exponent_of_row = [&](int i) { return kOfA[i % std::size(kOfA)]; };
        const auto exponent_of_column = [&](int k) { return kOfB[k % std::size(kOfB)]; };
        for (int i = 0; i < M; ++i) {
            for (int n = 0; n < N; ++n) operands.A(i, n) = std::bit_cast<float>(power(exponent_of_row(i)));
        }
        for (int k = 0; k < K; ++k) {
            operands.B(pick(seed_ + 15, k, N), k) = std::bit_cast<float>(power(exponent_of_column(k)));
        }
        const Matrix c = call(operands);
        size_t wrong = 0, all = 0;
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) {
                const int exponent = exponent_of_row(i) + exponent_of_column(k);
                if (exponent < kLeast) continue;
                const bool right = std::bit_cast<uint32_t>(c[size_t(i) * K + k]) == power(exponent);
                if (exponent_of_row(i) < kLeastNormal || exponent < kLeastNormal) {
                    found_.flushes_subnormals |= !right;
                } else {
                    wrong += !right;
                    ++all;
                }
            }
        }
        found_.out_of_range = double(wrong) / double(all);
    }

    // N1
    void specials() {
        Operands operands = random_operands(sizes_.exact, seed_ + 16, Data::uniform);
        const auto [M, N, K, L] = operands.shape;
        const int row = M / 3, column = K / 3;
        operands.A(row, N / 2) = std::numeric_limits<float>::quiet_NaN();
        operands.B(N - 1, column) = std::numeric_limits<float>::infinity();
        const Matrix c = call(operands);
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) {
                // By its bits, see R1: exponent 255.
                const bool finite = (std::bit_cast<uint32_t>(c[size_t(i) * K + k]) >> 23 & 0xff) != 0xff;
                const bool expected = i == row || k == column;
                found_.lost_special += expected && finite;
                found_.spread_special += !expected && !finite;
            }
        }
    }

    // A random half, so that of any two rows that a kernel adds up there is a chance of one in two that one is zero.
    void zero_lines() {
        Operands operands = random_operands(sizes_.exact, seed_ + 18, Data::uniform);
        const auto [M, N, K, L] = operands.shape;
        const auto zero = [this](uint64_t which, int line) { return pick(seed_ + which, line, 2) == 0; };
        for (int i = 0; i < M; ++i) {
            if (zero(20, i)) std::fill_n(&operands.A(i, 0), N, 0.0f);
        }
        for (int n = 0; n < N; ++n) {
            for (int k = 0; k < K; ++k) operands.B(n, k) *= zero(21, k) ? 0.0f : 1.0f;
        }
        const Matrix c = call(operands);
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) {
                found_.nonzero_in_zero_rows += (zero(20, i) || zero(21, k)) && !(c[size_t(i) * K + k] == 0);
            }
        }
    }

    // E: a random product, and an exact one.
    ShapeEvidence products(const Shape& shape) const {
        const GuardedMatrix A(device_, shape.a_elements(), 0), B(device_, shape.b_elements(), 0);
        const GuardedMatrix C(device_, shape.c_elements(), 0);
        device_.fill_random(A.data(), A.elements(), {mix(seed_ + 22)});
        device_.fill_random(B.data(), B.elements(), {mix(seed_ + 23)});
        device_.fill(C.data(), C.elements(), kPoison);
        device_.synchronize();
        multiply_(A.data(), B.data(), C.data(), shape.M, shape.N, shape.K);
        device_.synchronize();
        return {shape, row_errors(device_, A.data(), B.data(), C.data(), shape, Data::uniform, seed_),
                check_exact_product(device_, A.data(), B.data(), C.data(), shape, seed_ + 24, multiply_)};
    }

    void large_products() {
        std::vector<double> seconds;
        for (const Shape& shape : kLargeShapes) {
            const std::clock_t start = std::clock();
            found_.products.push_back(exact_product_at(shape));
            seconds.push_back(double(std::clock() - start) / CLOCKS_PER_SEC);
        }
        if (sizes_.larger && seconds.front() < kMostSecondsOfFirst) {
            found_.products.push_back(exact_product_at(kLargerShape));
        }
    }

    ShapeEvidence exact_product_at(const Shape& shape) const {
        const GuardedMatrix A(device_, shape.a_elements(), 0), B(device_, shape.b_elements(), 0);
        const GuardedMatrix C(device_, shape.c_elements(), 0);
        return {shape, {}, check_exact_product(device_, A.data(), B.data(), C.data(), shape, seed_ + 26, multiply_)};
    }

    Device& device_;
    const Multiply& multiply_;
    uint64_t seed_;
    ProbeSizes sizes_;
    Evidence found_;
};

}  // namespace

Evidence run_probes(Device& device, const Multiply& multiply, uint64_t seed, const ProbeSizes& sizes, bool specials) {
    return Probes(device, multiply, seed, sizes).run(specials);
}

}  // namespace judge
