#include "checks/sampling.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "values/comparison.h"

namespace judge {

std::vector<int> freivalds(Reference& reference, const std::vector<const float*>& inputs, const float* output,
                           const Shape& shape, double rms_rho, uint64_t seed, double allowance,
                           const std::function<int(int)>& column_power) {
    const int sizes[] = {shape.M, shape.N, shape.K, shape.L};
    const int columns = sizes[inputs.size()];
    std::mt19937_64 random(seed);
    std::vector<double> x(columns), absolute_x(columns);
    for (int j = 0; j < columns; ++j) {
        x[j] = std::ldexp(random() & 1 ? 1.0 : -1.0, column_power ? -column_power(j) : 0);
        absolute_x[j] = std::abs(x[j]);
    }
    const auto product_of_inputs_and = [&](std::vector<double> y, bool absolute) {
        for (size_t i = inputs.size(); i-- > 0;) y = reference.multiply(inputs[i], sizes[i], sizes[i + 1], y, absolute);
        return y;
    };

    const auto y = reference.multiply(output, shape.M, columns, x, false);
    const auto z = product_of_inputs_and(x, false);
    const auto scale = product_of_inputs_and(absolute_x, true);

    const double least_rho = shape.is_chain() ? 1 / std::sqrt(std::max(1, std::min(shape.N, shape.K))) : 1.0;
    const double factor = 10.0 * std::max(rms_rho, least_rho) * kUnitRoundoff * allowance / std::sqrt(columns);
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

}  // namespace judge
