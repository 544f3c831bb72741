#include "checks/sampling.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "values/comparison.h"

namespace judge {

std::vector<int> freivalds(Reference& reference, const std::vector<const float*>& inputs, const float* output,
                           const Shape& shape, double rms_rho, uint64_t seed, double rms_over_mean,
                           const std::function<int(int)>& column_power) {
    const int sizes[] = {shape.M, shape.N, shape.K, shape.L};
    const int columns = sizes[inputs.size()];
    std::mt19937_64 random(seed);
    std::vector<double> signs(columns), sizes_of_signs(columns);
    for (int j = 0; j < columns; ++j) {
        signs[j] = std::ldexp(random() & 1 ? 1.0 : -1.0, column_power ? -column_power(j) : 0);
        sizes_of_signs[j] = std::abs(signs[j]);
    }
    const auto product_of_inputs_and = [&](std::vector<double> x, bool absolute) {
        for (size_t i = inputs.size(); i-- > 0;) x = reference.multiply(inputs[i], sizes[i], sizes[i + 1], x, absolute);
        return x;
    };

    const auto y = reference.multiply(output, shape.M, columns, signs, false);
    const auto z = product_of_inputs_and(signs, false);
    const auto scale = product_of_inputs_and(sizes_of_signs, true);

    const double least_rho = shape.is_chain() ? 1 / std::sqrt(std::max(1, std::min(shape.N, shape.K))) : 1.0;
    const double factor = 10.0 * std::max(rms_rho, least_rho) * kUnitRoundoff * rms_over_mean / std::sqrt(columns);
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
