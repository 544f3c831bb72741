#include "checks/precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "base/counted.h"
#include "base/parallel.h"
#include "checks/problem.h"

namespace judge {

namespace {

struct Operands {
    Shape shape;
    std::vector<float> a, b;

    float& A(int i, int n) { return a[size_t(i) * shape.N + n]; }
    float& B(int n, int k) { return b[size_t(n) * shape.K + k]; }
};

using Matrix = std::vector<float>;

Operands zeros(const Shape& shape) {
    return {shape, Matrix(shape.a_elements()), Matrix(shape.b_elements())};
}

Operands random_operands(const Shape& shape, uint64_t seed, Data data) {
    Operands operands = zeros(shape);
    for (size_t i = 0; i < operands.a.size(); ++i) operands.a[i] = element({mix(seed), data}, i);
    for (size_t i = 0; i < operands.b.size(); ++i) operands.b[i] = element({mix(seed + 1), data}, i);
    return operands;
}

// A random whole number of [0, count).
int pick(uint64_t seed, uint64_t index, int count) {
    return static_cast<int>((random_bits(seed, index) >> 32) * uint64_t(count) >> 32);
}

// Odd, with its highest bit set: `bits` significant bits, no fewer.
float odd_number(int bits, uint64_t seed, uint64_t index) {
    const int top = 1 << (bits - 1);
    return static_cast<float>(top + (pick(seed, index, top) | 1));
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

// Calls body(i) for each row of a product. An element is summed up by one thread, so that its bits do not depend on how
// many there are: one for each 2^21 multiply-adds, which take 1 ms, and 8 at most.
template <class Body>
void for_each_row(const Shape& shape, Body body) {
    const int64_t most = std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, 8);
    const int64_t threads = std::clamp<int64_t>(shape.c_elements() * shape.N >> 21, 1, most);
    in_parallel(threads, shape.M, [&](int64_t, int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) body(i);
    });
}

// The judge's own FP32 sums, one fused multiply-add after the other. The product of two floats is exact in FP64, so
// this rounds twice, differently from fmaf once in 2^29 sums.
Matrix sequential_product(const Operands& operands) {
    const auto [M, N, K, L] = operands.shape;
    Matrix c(size_t(M) * K);
    for_each_row(operands.shape, [&, N = N, K = K](int64_t i) {
        float* const row = c.data() + i * K;
        for (int n = 0; n < N; ++n) {
            const double a = operands.a[i * N + n];
            const float* const b = operands.b.data() + size_t(n) * K;
            for (int k = 0; k < K; ++k) row[k] = float(a * b[k] + row[k]);
        }
    });
    return c;
}

// A product in FP64, and that of the absolute values.
struct Exact {
    std::vector<double> sum, magnitude;
};

Exact exact_product(const Operands& operands) {
    const auto [M, N, K, L] = operands.shape;
    Exact exact{std::vector<double>(size_t(M) * K), std::vector<double>(size_t(M) * K)};
    for_each_row(operands.shape, [&, N = N, K = K](int64_t i) {
        double* const sum = exact.sum.data() + i * K;
        double* const magnitude = exact.magnitude.data() + i * K;
        for (int n = 0; n < N; ++n) {
            const double a = operands.a[i * N + n];
            const float* const b = operands.b.data() + size_t(n) * K;
            for (int k = 0; k < K; ++k) {
                sum[k] += a * b[k];
                magnitude[k] += std::abs(a * b[k]);
            }
        }
    });
    return exact;
}

Exact product_of_rounded(const Operands& operands, Rounding rounding) {
    Operands low = operands;
    for (float& value : low.a) value = rounded(rounding, value);
    for (float& value : low.b) value = rounded(rounding, value);
    return exact_product(low);
}

double frobenius_error(const Matrix& c, const Exact& exact) {
    double sum = 0;
    for (size_t i = 0; i < c.size(); ++i) sum += (c[i] - exact.sum[i]) * (c[i] - exact.sum[i]);
    return std::sqrt(sum);
}

// Infinite if an element of C is not finite.
Gate gate(const Matrix& c, const Exact& exact, int N) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double unit = kUnitRoundoff * rho_bound(N);
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

double share_different(const Matrix& c, const Matrix& want) {
    size_t different = 0;
    for (size_t i = 0; i < c.size(); ++i) different += !(c[i] == want[i]);
    return double(different) / double(c.size());
}

class Probes {
  public:
    Probes(Device& device, const Multiply& multiply, uint64_t seed, const ProbeSizes& sizes)
        : device_(device), multiply_(multiply), seed_(seed), sizes_(sizes) {}

    Evidence run() {
        zero_mean_wide_and_cancelling();
        positive();
        integers();
        input_bits();
        accumulator();
        range();
        specials();
        zero_rows();
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
            *gates[i] = gate(c[i], exact, shape.N);
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
        for (const Rounding rounding : {Rounding::tf32_nearest, Rounding::tf32_truncated, Rounding::fp16_nearest,
                                        Rounding::bf16_nearest, Rounding::bf16_truncated}) {
            double most = 0;
            for (int i = 0; i < 3 && most <= least; ++i) {
                most = std::max(most, gate(c[i], product_of_rounded(operands[i], rounding), shape.N).elementwise);
            }
            if (most <= least) {
                least = most;
                found_.rounding = rounding;
            }
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
        found_.integers = gate(c, exact_product(operands), operands.shape.N);
        found_.inexact_integers = share_different(c, sequential_product(operands));

        operands = zeros(sizes_.exact);
        for (size_t i = 0; i < operands.a.size(); ++i) operands.a[i] = odd_number(12, seed_ + 10, i);
        for (size_t i = 0; i < operands.b.size(); ++i) operands.b[i] = float(pick(seed_ + 11, i, 3) - 1);
        found_.inexact_12_bits = inexact_either_way(operands);
    }

    // I3. Row i of A holds numbers of 24 - i % 17 bits, and each column of B one 1.
    void input_bits() {
        constexpr int kLeast = 8, kMost = 24;
        const auto bits_of = [](int i) { return kMost - i % (kMost - kLeast + 1); };
        Operands operands = zeros(sizes_.exact);
        const auto [M, N, K, L] = operands.shape;
        for (int i = 0; i < M; ++i) {
            for (int n = 0; n < N; ++n) operands.A(i, n) = odd_number(bits_of(i), seed_ + 12, uint64_t(i) * N + n);
        }
        for (int k = 0; k < K; ++k) operands.B(pick(seed_ + 13, k, N), k) = 1;

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

    // I4. Operands that every format holds, and a sum of 2^23 and a few ones.
    void accumulator() {
        Operands operands = zeros(sizes_.exact);
        for (size_t i = 0; i < operands.a.size(); ++i) operands.a[i] = float(pick(seed_ + 14, i, 2));
        std::fill(operands.b.begin(), operands.b.end(), 1.0f);
        for (int i = 0; i < sizes_.exact.M; ++i) operands.A(i, 0) = 0x1p12f;
        for (int k = 0; k < sizes_.exact.K; ++k) operands.B(0, k) = 0x1p11f;
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

    void zero_rows() {
        Operands operands = random_operands(sizes_.exact, seed_ + 18, Data::uniform);
        const int half = sizes_.exact.M / 2;
        std::fill(operands.a.begin() + size_t(half) * sizes_.exact.N, operands.a.end(), 0.0f);
        const Matrix c = call(operands);
        found_.nonzero_in_zero_rows = std::count_if(c.begin() + size_t(half) * sizes_.exact.K, c.end(),
                                                    [](float value) { return !(value == 0); });
    }

    Device& device_;
    const Multiply& multiply_;
    uint64_t seed_;
    ProbeSizes sizes_;
    Evidence found_;
};

bool elementwise(const Evidence& e) {
    return e.zero_mean.elementwise <= 1 && e.wide.elementwise <= 1 && e.cancelling.elementwise <= 1 &&
           e.integers.elementwise <= 1;
}

bool normwise(const Evidence& e) {
    return e.zero_mean.elementwise <= 1 && e.wide.normwise <= 1 && e.cancelling.normwise <= 1 &&
           e.integers.normwise <= 1;
}

// I1 holds numbers that every format holds: low precision is no excuse there.
bool of_rounded_operands(const Evidence& e) {
    return !elementwise(e) && e.rounding != Rounding::none && e.integers.elementwise <= 1;
}

std::string percent(double share) {
    return fmt::format("{:.3g}%", 100 * share);
}

std::string why_wrong(const Evidence& e) {
    std::string text = "C is the product neither of A and B nor of any rounding of theirs";
    // One term lost of each sum makes r above 1e5.
    if (e.inexact_accumulator > 0.5 && e.r < 3e4) {
        text += fmt::format("; {} of sums of 2^23 and ones are off (I4): the accumulator is shorter than 24 bits",
                            percent(e.inexact_accumulator));
    } else if (e.inexact_integers > 0) {
        text += fmt::format("; {} of exact integer sums are off (I1): terms are lost, doubled or misplaced",
                            percent(e.inexact_integers));
    }
    return text;
}

}  // namespace

Json to_json(const Evidence& e) {
    const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
    const auto of_gate = [&](const Gate& gate) {
        return Json{{"elementwise", finite(gate.elementwise)}, {"normwise", finite(gate.normwise)}};
    };
    return {{"r", finite(e.r)},
            {"r_positive", finite(e.r_positive)},
            {"zero_mean", of_gate(e.zero_mean)},
            {"wide", of_gate(e.wide)},
            {"cancelling", of_gate(e.cancelling)},
            {"integers", of_gate(e.integers)},
            {"rounding", to_string(e.rounding)},
            {"inexact_integers", e.inexact_integers},
            {"inexact_12_bits", e.inexact_12_bits},
            {"inexact_24_bits", e.inexact_24_bits},
            {"input_bits", e.input_bits},
            {"inexact_accumulator", e.inexact_accumulator},
            {"out_of_range", e.out_of_range},
            {"flushes_subnormals", e.flushes_subnormals},
            {"lost_special", e.lost_special},
            {"spread_special", e.spread_special},
            {"nonzero_in_zero_rows", e.nonzero_in_zero_rows},
            {"deterministic", e.deterministic}};
}

Precision classify(const Evidence& e) {
    const auto graded = [&](PrecisionClass grade, const std::string& reason) { return Precision{grade, reason, e}; };
    // What a product of lower precision says of itself, after why.
    const std::string figures = fmt::format("r = {:.3g}, operands of {} bits exact", e.r, e.input_bits);

    const bool of_rounded = of_rounded_operands(e);
    if (!elementwise(e) && !of_rounded && !normwise(e)) return graded(PrecisionClass::wrong, why_wrong(e));
    if (e.lost_special > 0) {
        return graded(PrecisionClass::wrong, fmt::format("a NaN in A or an infinity in B does not reach {} of the "
                                                         "elements of C that it is a term of (N1)",
                                                         e.lost_special));
    }
    if (of_rounded) {
        const bool eleven = significant_bits(e.rounding) == 11;
        return graded(eleven ? PrecisionClass::tf32 : PrecisionClass::bf16,
                      fmt::format("C is the product of A and B rounded to {}; {}", to_string(e.rounding), figures));
    }
    if (!elementwise(e)) {
        return graded(PrecisionClass::normwise_only,
                      "right for matrices of one magnitude, not for each element of others");
    }
    if (e.nonzero_in_zero_rows > 0) {
        return graded(PrecisionClass::normwise_only, "rows of zeros in A do not give rows of zeros in C");
    }
    if (e.inexact_integers > 0) {
        return graded(PrecisionClass::normwise_only, fmt::format("within the bound, but {} of exact integer sums are "
                                                                 "off (I1)",
                                                                 percent(e.inexact_integers)));
    }
    if (e.spread_special > 0) {
        return graded(PrecisionClass::normwise_only, fmt::format("a NaN in A or an infinity in B spoils {} of C (N1)",
                                                                 counted(e.spread_special, "other element")));
    }
    const bool exact = e.inexact_12_bits == 0 && e.inexact_24_bits == 0 && e.inexact_accumulator == 0;
    if (e.r <= 1.5 && exact) return graded(PrecisionClass::fp32, figures);
    if (e.r <= 30 && e.inexact_12_bits == 0) return graded(PrecisionClass::fp32_emulated, figures);
    return graded(e.r <= 2500 ? PrecisionClass::tf32 : PrecisionClass::bf16, figures);
}

Precision measure_precision(Device& device, const Multiply& multiply, uint64_t seed, const ProbeSizes& sizes) {
    return classify(Probes(device, multiply, seed, sizes).run());
}

}  // namespace judge
