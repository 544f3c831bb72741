#include "checks/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "base/counted.h"
#include "device/reference.h"

namespace judge {

namespace {

// The root mean square of |ab| over its mean.
double spread(Data data) {
    switch (data) {
        case Data::uniform:
        case Data::positive:
            return 4.0 / 3;
        case Data::normal:
            return 1.5708;
        case Data::wide:
            return 5.53;
        case Data::integers:
            return 1.35;
    }
    return 1;
}

}  // namespace

double rho_bound(int N, uint32_t arithmetic, Data data, bool truncated) {
    const double summation = std::min<double>(N, 9.0 * std::sqrt(N));
    const int operand_bits = arithmetic == SOLVE_ARITHMETIC_TF32 || arithmetic == SOLVE_ARITHMETIC_FP16 ? 11
                             : arithmetic == SOLVE_ARITHMETIC_BF16                                      ? 8
                                                                                                        : 0;
    if (operand_bits == 0 || N == 0) return summation;
    const double left = truncated && data == Data::positive ? 1.0 : std::min(1.0, 9 * spread(data) / std::sqrt(N));
    return summation + std::ldexp(left, (truncated ? 26 : 25) - operand_bits);
}

std::vector<int> freivalds(Reference& reference, const std::vector<const float*>& inputs, const float* output,
                           const Shape& shape, double rms_rho, uint64_t seed) {
    const int sizes[] = {shape.M, shape.N, shape.K, shape.L};
    const int columns = sizes[inputs.size()];
    std::mt19937_64 random(seed);
    std::vector<double> signs(columns);
    for (double& sign : signs) sign = random() & 1 ? 1.0 : -1.0;
    const auto product_of_inputs_and = [&](std::vector<double> x, bool absolute) {
        for (size_t i = inputs.size(); i-- > 0;) x = reference.multiply(inputs[i], sizes[i], sizes[i + 1], x, absolute);
        return x;
    };

    const auto y = reference.multiply(output, shape.M, columns, signs, false);
    const auto z = product_of_inputs_and(signs, false);
    const auto scale = product_of_inputs_and(std::vector<double>(columns, 1.0), true);

    const double least_rho = shape.is_chain() ? 1 / std::sqrt(std::max(1, std::min(shape.N, shape.K))) : 1.0;
    const double factor = 10.0 * std::max(rms_rho, least_rho) * kUnitRoundoff / std::sqrt(columns);
    std::vector<int> bad;
    for (int row = 0; row < shape.M; ++row) {
        // Written so that a NaN in y fails.
        if (!(std::abs(y[row] - z[row]) <= factor * scale[row])) bad.push_back(row);
    }
    return bad;
}

std::vector<int> sample_rows(int M, uint64_t seed) {
    constexpr int kEdge = 8, kWanted = 128;
    std::set<int> rows;
    for (int i = 0; i < std::min(kEdge, M); ++i) rows.insert({i, M - 1 - i});
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int> any(0, std::max(M - 1, 0));
    while (static_cast<int>(rows.size()) < std::min(kWanted, M)) rows.insert(any(random));
    return {rows.begin(), rows.end()};
}

std::string explain(const Comparison& comparison) {
    std::string text;
    const auto add = [&](uint64_t count, const char* what) {
        if (count == 0) return;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
    };
    add(comparison.wrong, "wrong");
    add(comparison.nan, "NaN");
    add(comparison.inf, "infinite");
    text += " of " + counted(comparison.compared, "element");
    if (comparison.first) {
        const Mismatch& at = *comparison.first;
        text += fmt::format("; first at ({}, {}): got {:.9g}, want {:.9g} +- {:.3g}", at.row, at.col, at.got, at.want,
                            at.bound);
    }
    if (comparison.nan > 0) {
        text += "; A and B hold no NaN, but the memory around them and C before the call do: something else was read";
    }
    return text;
}

}  // namespace judge
