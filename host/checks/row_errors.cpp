#include "checks/row_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "checks/bound.h"
#include "values/comparison.h"

namespace judge {

namespace {

std::vector<int> few_rows(const Shape& shape, uint64_t seed) {
    const int wanted = std::min(std::clamp(1024 / shape.K, 2, 1024), shape.M);
    std::set<int> rows{0, shape.M - 1};
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int> any(0, shape.M - 1);
    while (static_cast<int>(rows.size()) < wanted) rows.insert(any(random));
    return {rows.begin(), rows.end()};
}

double squared_rho(double error, double magnitude) {
    return error == 0 ? 0 : std::pow(error / (kUnitRoundoff * magnitude), 2);
}

}  // namespace

RowErrors row_errors(Device& device, const float* A, const float* B, const float* C, const Shape& shape, Data data,
                     uint64_t seed) {
    if (shape.M == 0 || shape.N == 0 || shape.K == 0) return {};
    const std::vector<int> rows = few_rows(shape, seed);
    const RowSums sums = device.reference().row_sums(A, B, shape, rows);
    std::vector<float> c(sums.exact.size());
    for (size_t i = 0; i < rows.size(); ++i) {
        device.read(c.data() + i * shape.K, C + int64_t{rows[i]} * shape.K, shape.K);
    }
    double own = 0, sequential = 0;
    for (size_t i = 0; i < c.size(); ++i) {
        own += std::isfinite(c[i]) ? squared_rho(c[i] - sums.exact[i], sums.magnitude[i])
                                   : std::numeric_limits<double>::infinity();
        sequential += squared_rho(sums.sequential[i] - sums.exact[i], sums.magnitude[i]);
    }
    const double count = static_cast<double>(c.size());
    return {c.size(), std::sqrt(own / count), std::max(std::sqrt(sequential / count), typical_rho(shape.N, data))};
}

}  // namespace judge
