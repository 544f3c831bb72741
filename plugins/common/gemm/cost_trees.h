// What a sum of costs misses of a kernel's time: a correction factor from gradient-boosted regression trees. Each node
// of a tree compares one feature: a count of the call's work (work.h), its share of the sum, the sum, a size of the
// call, the bandwidth of the GPU's memory, or the way. The trees are fitted to the same times as the costs, after them,
// and for all ways together: what slows 64 x 64 tiles of four warps slows 64 x 32, too. One set serves GPUs that differ
// only in memory, H100 and H200: on an H100 choices are 1.26 % behind the fastest way with trees that do not compare
// the memory's bandwidth, and 1.06 % with trees that do. Each tree is fitted to what those before it have left, so the
// first few alone say most of it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "work.h"

namespace ladder {

// A node: whether a feature is above a threshold, and where either answer leads: the number of the next node, or a
// leaf, thousandths of the natural logarithm of a factor, less kLeaf and so below 0.
struct CostQuestion {
    int16_t feature, above;
    int32_t no, yes;
};
constexpr int kLeaf = 16384;

// The trees of a GPU. Each begins with a question, or is a leaf.
struct CostTrees {
    std::span<const CostQuestion> questions;
    std::span<const int32_t> first;
};

// Sixteen times the logarithm to base 2, rounded down; between powers of two as if it were linear.
inline int sixteenths(double count) {
    constexpr int kOne = 127 << 4;  // of 1.0f: the exponent, and four bits of what follows it
    return count > 0 ? static_cast<int>(std::bit_cast<uint32_t>(static_cast<float>(count)) >> 19) - kOne : -2000;
}

// In this order: the counts, each one's share of the sum of costs in 64ths, the sum, M, N, K, the batch, the memory's
// GB/s, the way; but for shares and way in sixteenths of their logarithms.
constexpr size_t kFeatures = 2 * std::size(kCounts) + 7;

// By the first `most` trees.
inline double factor_of(const CostTrees& trees, int way, const Costs& costs, const Work& work, const solve_gemm_t& call,
                        const DeviceFigures& device, size_t most = SIZE_MAX) {
    if (trees.questions.empty()) return 1;
    int features[kFeatures];
    const double sum = std::max(cycles_of(costs, work), 1.0);
    for (size_t i = 0; i < std::size(kCounts); ++i) {
        const double count = work.*kCounts[i];
        features[i] = sixteenths(count);
        features[std::size(kCounts) + i] = static_cast<int>(64 * (costs.*kCounts[i] * count) / sum);
    }
    const double sizes[] = {
        sum, double(call.M), double(call.N), double(call.K), double(call.batch), double(device.memory)};
    for (size_t i = 0; i < std::size(sizes); ++i) features[2 * std::size(kCounts) + i] = sixteenths(sizes[i]);
    features[kFeatures - 1] = way;
    // Eight trees at a time: which way a question goes cannot be predicted, and one tree after the other takes twice as
    // long.
    constexpr size_t kTogether = 8;
    const size_t count = std::min(most, trees.first.size());
    int thousandths = 0;
    for (size_t begin = 0; begin < count; begin += kTogether) {
        int at[kTogether];
        for (size_t i = 0; i < kTogether; ++i) at[i] = begin + i < count ? trees.first[begin + i] : -kLeaf;
        for (bool asked = true; asked;) {
            asked = false;
            for (int& each : at) {
                const CostQuestion& question = trees.questions[std::max(each, 0)];
                const int next = features[question.feature] > question.above ? question.yes : question.no;
                each = each >= 0 ? next : each;
                asked |= each >= 0;
            }
        }
        for (const int leaf : at) thousandths += leaf + kLeaf;
    }
    return std::exp(1e-3 * thousandths);
}

}  // namespace ladder
