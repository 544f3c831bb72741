// What a sum of costs misses of a kernel's time: factors by small trees of questions, each about one count of the
// call's work (work.h), about what share of the sum it is, or about the sum. They are learned from the times that the
// costs are fitted to, after these.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "work.h"

namespace ladder {

constexpr int kTreesOfWay = 48, kQuestions = 4;

// Question i: whether feature questions[i][0] is above questions[i][1]. The answers are the digits of a leaf's number;
// it has thousandths of the natural logarithm of a factor.
struct CostTree {
    int16_t questions[kQuestions][2];
    int16_t leaves[1 << kQuestions];
};

// Eight times the logarithm to base 2, rounded down; between powers of two as if it were linear.
inline int eighths(double count) {
    constexpr int kOne = 127 << 3;  // of 1.0f: the exponent, and three bits of what follows it
    return count > 0 ? static_cast<int>(std::bit_cast<uint32_t>(static_cast<float>(count)) >> 20) - kOne : -1000;
}

// What is asked about: each count and then the sum in eighths of its logarithm, between them each count's share of the
// sum in 64ths.
constexpr size_t kFeatures = 2 * std::size(kCounts) + 1;

inline double factor_of(const CostTree (&trees)[kTreesOfWay], const Costs& costs, const Work& work) {
    int features[kFeatures];
    const double sum = std::max(cycles_of(costs, work), 1.0);
    for (size_t i = 0; i < std::size(kCounts); ++i) {
        const double count = work.*kCounts[i];
        features[i] = eighths(count);
        features[std::size(kCounts) + i] = static_cast<int>(64 * (costs.*kCounts[i] * count) / sum);
    }
    features[kFeatures - 1] = eighths(sum);
    int thousandths = 0;
    for (const CostTree& tree : trees) {
        int leaf = 0;
        for (const auto& [feature, above] : tree.questions) leaf = 2 * leaf + (features[feature] > above);
        thousandths += tree.leaves[leaf];
    }
    return std::exp(1e-3 * thousandths);
}

}  // namespace ladder
