// The kernels that 67, 77, 79 and 90 choose among, each with its tile, and what their work costs (work.h), measured.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "cost_trees.h"
#include "way_trees.h"
#include "work.h"

namespace ladder {

enum class WayId {
    plain_128x128,  // 56
    plain_64x64,
    plain_16x16,
    warp_tile,    // 60
    cp_async,     // 64
    small_32x32,  // 67
    small_64x32,
    small_32x64,
    small_64x64,
    small_128x32,
    small_64x128,
    small_32x128,
    cut_64x64,  // 67, N in pieces
    cut_128x32,
    cut_32x128,
    cut_64x128,
    cut_128x64,
    slices_64x128,  // 69, and 87 for batches
    slices_64x64,
    slices_64x32,
    few_rows,     // 76
    few_columns,  // 78
    vectors,      // 75
    short_32x64,  // 77
    short_32x128,
    short_32x256,
    short_64x64,
    short_64x128,
    short_128x64,
    clusters_32x32,  // 79
    clusters_8x32,
    clusters_32x8,
    clusters_32x64,
    clusters_16x32,
    clusters_32x16,
    clusters_20x64,
    clusters_64x20,
    walk_128x256,  // 86, and 88 for batches
    walk_64x128,
    walk_128x64,
    walk_tn_128x256,  // 88, by the operands that are transposed
    walk_tn_64x128,
    walk_tn_128x64,
    walk_nt_128x256,
    walk_nt_64x128,
    walk_nt_128x64,
    walk_tt_256x128,
    walk_tt_64x128,
    walk_tt_128x64,
    copied,      // 89, without the product
    one_by_one,  // this and the following have no costs of their own
    narrow,      // 72
    small_walk,  // 71
};
constexpr const char* kWayNames[] = {
    "plain_128x128",  "plain_64x64",     "plain_16x16",    "warp_tile",      "cp_async",        "small_32x32",
    "small_64x32",    "small_32x64",     "small_64x64",    "small_128x32",   "small_64x128",    "small_32x128",
    "cut_64x64",      "cut_128x32",      "cut_32x128",     "cut_64x128",     "cut_128x64",      "slices_64x128",
    "slices_64x64",   "slices_64x32",    "few_rows",       "few_columns",    "vectors",         "short_32x64",
    "short_32x128",   "short_32x256",    "short_64x64",    "short_64x128",   "short_128x64",    "clusters_32x32",
    "clusters_8x32",  "clusters_32x8",   "clusters_32x64", "clusters_16x32", "clusters_32x16",  "clusters_20x64",
    "clusters_64x20", "walk_128x256",    "walk_64x128",    "walk_128x64",    "walk_tn_128x256", "walk_tn_64x128",
    "walk_tn_128x64", "walk_nt_128x256", "walk_nt_64x128", "walk_nt_128x64", "walk_tt_256x128", "walk_tt_64x128",
    "walk_tt_128x64", "copied",          "one_by_one",     "narrow",         "small_walk"};
static_assert(std::size(kWayNames) == static_cast<size_t>(WayId::small_walk) + 1);
inline const char* name_of(WayId id) {
    return kWayNames[static_cast<size_t>(id)];
}

// Whether it is 86 or 88, with one block per SM.
inline bool is_walk(WayId id) {
    return id >= WayId::walk_128x256 && id <= WayId::walk_tt_128x64;
}

constexpr size_t kWaysWithCosts = static_cast<size_t>(WayId::one_by_one);

// Whether it is 86 if nothing is transposed: it adds a bias as it stores C.
inline bool is_by_86(WayId id) {
    return id == WayId::walk_128x256 || id == WayId::walk_64x128 || id == WayId::walk_128x64;
}

// The costs of all ways on a GPU, in the order of enum WayId, and its trees. `make tune` writes those of the GPU at
// hand.
struct CostsOfGpu {
    int capability;  // times 10: a GPU takes the costs of the newest one that is not newer, or the first
    Costs of[kWaysWithCosts];
    CostTrees trees{};  // if there are any

    double sum(WayId id, const Work& work) const { return cycles_of(of[static_cast<size_t>(id)], work); }

    // What is expected of a way at a call, by the first `most` trees.
    double cycles(WayId id, const Work& work, const solve_gemm_t& call, const DeviceFigures& device,
                  size_t most = SIZE_MAX) const {
        const auto way = static_cast<int>(id);
        return sum(id, work) * factor_of(trees, way, of[way], work, call, device, most);
    }
};

// start, waves, steps, word_steps, blocks, block_steps, along_a, along_b, copies, l2_kb, store_kb, word_kb, memory_kb,
// crowded, packed, parts, of_parts
constexpr CostsOfGpu kCostsOfGpus[] = {
    {90,
     {
         // NVIDIA H100 80GB HBM3 and H200
         {4612, 4271, 424, 0, 0, 1192, 0, 22, 0, 0, 64, 197, 0, 271, 0, 0, 0},                     // plain_128x128
         {4811, 317, 390, 0, 595, 660, 27, 23, 0, 0, 55, 159, 3.76, 80, 0, 0, 0},                  // plain_64x64
         {1870, 1891, 346, 0, 0, 67, 0, 2.14, 0, 11.8, 31, 78, 26, 945, 0, 0, 0},                  // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                            // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                            // cp_async
         {2003, 255, 208, 0, 172, 194, 21, 24, 0, 0, 0, 32, 5.27, 383, 879, 917, 92},              // small_32x32
         {1946, 0, 181, 0, 392, 351, 57, 17.8, 0.131, 2.91, 0, 32, 6.16, 395, 1235, 920, 133},     // small_64x32
         {1655, 963, 278, 0, 310, 327, 4.55, 39, 0, 0, 0, 53, 5.65, 867, 1131, 1505, 0},           // small_32x64
         {2179, 0, 177, 0, 719, 596, 18.1, 30, 0.0515, 3.52, 0, 52, 3.02, 686, 1667, 1693, 19.9},  // small_64x64
         {2152, 0, 209, 0, 745, 584, 61, 12.1, 0, 4.8, 0, 50, 7.67, 1090, 1913, 1713, 11.6},       // small_128x32
         {1896, 57, 354, 0, 1716, 911, 5.98, 46, 0, 12.5, 3.26, 51, 0, 636, 1832, 3128, 0},        // small_64x128
         {1745, 0, 175, 0, 815, 626, 0, 103, 0.98, 1.81, 0, 38, 1.54, 673, 1612, 1541, 118},       // small_32x128
         {1024, 0, 166, 0, 862, 611, 19.9, 22, 2.88, 3.69, 23, 0, 4.67, 127, 0, 3969, 0},          // cut_64x64
         {736, 0, 207, 0, 1233, 559, 79, 3.5, 2.47, 8.15, 15.4, 0, 7.05, 68, 0, 4022, 0.749},      // cut_128x32
         {687, 0, 168, 0, 1004, 636, 0, 109, 0, 1.26, 26, 0, 4.39, 114, 0, 4050, 0},               // cut_32x128
         {1159, 0, 174, 0, 559, 1128, 5.75, 54, 3.91, 0.37, 42, 0, 1.5, 144, 0, 5664, 0},          // cut_64x128
         {1096, 0, 224, 0, 772, 1088, 94, 0, 2.65, 1.53, 42, 0, 3.76, 273, 0, 5595, 0},            // cut_128x64
         {945, 3426, 1181, 1260, 335835, 0, 0, 0, 0, 0, 11.9, 70, 6.01, 0, 0, 0, 0},               // slices_64x128
         {1023, 2477, 1300, 1442, 0, 0, 0, 0, 0, 0, 52, 94, 0, 0, 0, 1945, 446},                   // slices_64x64
         {444, 2104, 1294, 2056, 0, 0, 0, 0, 0, 0, 188, 495, 3.69, 0, 0, 0, 0},                    // slices_64x32
         {1242, 0, 498, 880, 1982, 274, 0, 0, 0, 0, 1237, 2005, 4.95, 0, 0, 153, 625},             // few_rows
         {4443, 0, 617, 876, 0, 0, 0, 0, 0, 0, 5901, 2518, 25, 0, 0, 695, 915},                    // few_columns
         {573, 0, 813, 834, 0, 32, 0, 0, 0, 15.2, 0, 0, 0, 0, 0, 156, 0},                          // vectors
         {2036, 169, 51, 0, 455, 41, 4.17, 21, 0, 0, 30, 33, 4.02, 0, 0, 0, 0},                    // short_32x64
         {2389, 0, 49, 0, 584, 50, 3.83, 45, 0, 0, 27, 29, 2.35, 93, 0, 0, 0},                     // short_32x128
         {2667, 0, 60, 0, 791, 85, 4.2, 84, 0, 0, 30, 34, 0, 607, 0, 0, 0},                        // short_32x256
         {2240, 0, 58, 0, 674, 45, 13.5, 21, 0, 0, 22, 24, 1.18, 82, 0, 0, 0},                     // short_64x64
         {2643, 0, 79, 0, 825, 80, 13.7, 47, 0, 0, 27, 29, 0.835, 231, 0, 0, 0},                   // short_64x128
         {2060, 302, 75, 0, 1142, 68, 22, 13.3, 0, 0, 24, 28, 1.75, 220, 0, 0, 0},                 // short_128x64
         {61, 1507, 695, 0, 862, 777, 125, 278, 184, 7.22, 0, 0, 1.44, 264, 1096, 1531, 202},      // clusters_32x32
         {352, 1804, 135, 0, 139, 410, 0, 144, 202, 4.27, 143, 0, 19, 199, 808, 1300, 127},        // clusters_8x32
         {496, 1640, 229, 0, 83, 482, 130, 0, 158, 14.8, 126, 0, 0, 207, 723, 1451, 122},          // clusters_32x8
         {1785, 1870, 674, 0, 794, 746, 125, 377, 210, 7.03, 0, 45, 0.353, 253, 1693, 665, 110},   // clusters_32x64
         {0, 1492, 410, 0, 860, 424, 0, 149, 164, 15.3, 0, 0, 0, 98, 407, 1486, 157},              // clusters_16x32
         {78, 1722, 332, 0, 636, 511, 106, 77, 126, 15.8, 0, 0, 0, 222, 495, 1460, 194},           // clusters_32x16
         {0, 1761, 519, 0, 1305, 473, 0, 175, 239, 10.9, 0, 109, 0, 0, 801, 1678, 29},             // clusters_20x64
         {0, 3064, 668, 0, 1234, 501, 87, 0, 213, 15.8, 0, 0, 0, 0, 750, 1421, 0},                 // clusters_64x20
         {4188, 3614, 2166, 2220, 719, 0, 0, 0, 0, 0, 26, 55, 0, 0, 0, 1874, 111},                 // walk_128x256
         {4400, 2886, 2232, 2357, 1316, 0, 0, 0, 0, 0, 27, 82, 0, 0, 0, 1566, 319},                // walk_64x128
         {4474, 2937, 2326, 2444, 1620, 0, 0, 0, 0, 0, 25, 72, 0, 0, 0, 1243, 332},                // walk_128x64
         {6394, 1800, 2158, 2195, 0, 0, 0, 0, 0, 0, 33, 95, 0, 0, 0, 4899, 86},                    // walk_tn_128x256
         {5050, 4136, 2183, 2294, 0, 0, 0, 0, 0, 0, 0, 91, 0, 0, 0, 5308, 180},                    // walk_tn_64x128
         {5055, 4091, 2176, 2310, 0, 0, 0, 0, 0, 0, 3.79, 91, 0, 0, 0, 3430, 229},                 // walk_tn_128x64
         {6811, 3989, 2496, 0, 0, 0, 0, 0, 0, 0, 24, 247, 0, 0, 0, 5755, 98},                      // walk_nt_128x256
         {3677, 4816, 2302, 0, 0, 0, 0, 0, 0, 0, 0, 88, 0, 0, 0, 566, 353},                        // walk_nt_64x128
         {3745, 4755, 2323, 0, 0, 0, 0, 0, 0, 0, 0, 92, 0, 0, 0, 2906, 284},                       // walk_nt_128x64
         {6006, 2123, 2146, 2215, 0, 0, 0, 0, 0, 0, 31, 91, 0, 0, 0, 6639, 82},                    // walk_tt_256x128
         {3815, 4985, 2255, 2368, 0, 0, 0, 0, 0, 0, 0, 93, 0, 0, 0, 0, 350},                       // walk_tt_64x128
         {4760, 4405, 2218, 2313, 0, 0, 0, 0, 0, 0, 0, 92, 0, 0, 0, 3151, 252},                    // walk_tt_128x64
         {2967, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 2934, 78},                              // copied
     },
     {kQuestionsOf90, kTreesOf90}},
};

inline const CostsOfGpu& costs_for(int capability) {
    const CostsOfGpu* found = kCostsOfGpus;
    for (const CostsOfGpu& each : kCostsOfGpus) {
        if (each.capability <= capability && each.capability > found->capability) found = &each;
    }
    return *found;
}

// One of the ways of a call: its number, what that alone does not say, and what the call asks of it.
struct WayOfCall {
    WayId id;
    int blocks;
    Work work;
    void (*launch)(const solve_gemm_t& call, int blocks) = nullptr;  // where it is one of the rung's own
    double cycles = 0;
};

// Calls visit(way) for the ways of a call that may be the best one: for_each_way(add) calls add(id, blocks, work, ...)
// for all of them. The first 8 trees are asked of those with sums up to twice the least one, and all trees of the 10
// that are the fastest by that, if it is at most 1.15 times the least. That is 5 of 84 in the mean, and choices are as
// near to the fastest way as with all trees asked of all ways (notes/90_dispatch.md).
template <class ForEachWay, class Visit>
void for_each_good_way(const CostsOfGpu& costs, const solve_gemm_t& call, const DeviceFigures& device,
                       ForEachWay for_each_way, Visit visit) {
    constexpr double kFar = 2, kNear = 1.15;
    constexpr size_t kMost = 10, kFirstTrees = 8;
    std::vector<WayOfCall> ways;
    ways.reserve(128);
    double least_sum = kNever;
    for_each_way([&](WayId id, int blocks, const Work& work, auto... launch) {
        ways.push_back({id, blocks, work, launch...});
        ways.back().cycles = costs.sum(id, work);
        least_sum = std::min(least_sum, ways.back().cycles);
    });
    std::vector<double> sorted;
    for (WayOfCall& way : ways) {
        const bool far = way.cycles > kFar * least_sum;
        way.cycles = far ? kNever : costs.cycles(way.id, way.work, call, device, kFirstTrees);
        sorted.push_back(way.cycles);
    }
    if (sorted.empty()) return;
    const size_t most = std::min(kMost, sorted.size()) - 1;
    std::ranges::nth_element(sorted, sorted.begin() + most);
    const double limit = std::min(kNear * std::ranges::min(sorted), sorted[most]);
    for (WayOfCall& way : ways) {
        if (way.cycles > limit) continue;
        way.cycles = costs.cycles(way.id, way.work, call, device);
        visit(way);
    }
}

}  // namespace ladder
