// The kernels that 67, 77, 79 and 90 choose among, each with its tile, and what their work costs (work.h), measured.
#pragma once

#include <cstddef>
#include <iterator>

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
    walk_128x256,  // 86, and 88 for batches
    walk_64x128,
    walk_tn_128x256,  // 88, by the operands that are transposed
    walk_tn_64x128,
    walk_nt_128x256,
    walk_nt_64x128,
    walk_tt_256x128,
    walk_tt_64x128,
    turned,      // 89, without the product
    one_by_one,  // has no costs of its own
};
constexpr const char* kWayNames[] = {
    "plain_128x128",  "plain_64x64",     "plain_16x16",    "warp_tile",       "cp_async",       "small_32x32",
    "small_64x32",    "small_32x64",     "small_64x64",    "slices_64x128",   "slices_64x64",   "slices_64x32",
    "few_rows",       "few_columns",     "vectors",        "short_32x64",     "short_32x128",   "short_32x256",
    "short_64x64",    "short_64x128",    "short_128x64",   "clusters_32x32",  "clusters_8x32",  "clusters_32x8",
    "clusters_32x64", "walk_128x256",    "walk_64x128",    "walk_tn_128x256", "walk_tn_64x128", "walk_nt_128x256",
    "walk_nt_64x128", "walk_tt_256x128", "walk_tt_64x128", "turned",          "one_by_one"};
static_assert(std::size(kWayNames) == static_cast<size_t>(WayId::one_by_one) + 1);
inline const char* name_of(WayId id) {
    return kWayNames[static_cast<size_t>(id)];
}

constexpr size_t kWaysWithCosts = static_cast<size_t>(WayId::one_by_one);

// The costs of all ways on a GPU, in the order of enum WayId. `make tune` writes those of the GPU at hand.
struct CostsOfGpu {
    int capability;  // times 10: a GPU takes the costs of the newest one that is not newer, or the first
    Costs of[kWaysWithCosts];

    double cycles(WayId id, const Work& work) const { return cycles_of(of[static_cast<size_t>(id)], work); }
};

// start, waves, steps, word_steps, blocks, block_steps, along_a, along_b, copies, l2_kb, store_kb, word_kb, memory_kb,
// crowded, packed, parts, of_parts
constexpr CostsOfGpu kCostsOfGpus[] = {
    {90,
     {
         // NVIDIA H100 80GB HBM3
         {4905, 3492, 434, 0, 0, 1188, 0, 0, 0, 0, 75, 241, 0, 44, 0, 0, 0},                        // plain_128x128
         {3431, 2455, 388, 0, 98, 663, 18.8, 7.31, 0, 0, 53, 202, 7.48, 421, 0, 0, 0},              // plain_64x64
         {2013, 1680, 397, 0, 0, 67, 0, 1.84, 0, 9.48, 37, 94, 30, 958, 0, 0, 0},                   // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                             // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                             // cp_async
         {1620, 856, 287, 0, 25, 154, 14.7, 21, 0, 9.85, 12.1, 61, 13.6, 707, 4767, 2682, 0},       // small_32x32
         {1975, 362, 290, 0, 79, 278, 47, 28, 0.25, 14.6, 18.5, 58, 12.6, 599, 3676, 2885, 0},      // small_64x32
         {1619, 1143, 471, 0, 97, 285, 16.7, 64, 0.225, 3.94, 5.11, 56, 4.76, 574, 2962, 3667, 0},  // small_32x64
         {1309, 1154, 314, 0, 206, 572, 36, 48, 0, 7.23, 17.5, 68, 0, 264, 4857, 3626, 0},          // small_64x64
         {843, 3125, 1170, 1286, 179228, 0, 0, 0, 0, 0, 32, 197, 3.46, 0, 0, 0, 0},                 // slices_64x128
         {756, 2672, 1288, 1427, 0, 0, 0, 0, 0, 0, 42, 206, 0, 0, 0, 2036, 552},                    // slices_64x64
         {1105, 2264, 1240, 1914, 0, 0, 0, 0, 0, 2.38, 141, 624, 7.2, 0, 0, 0, 0},                  // slices_64x32
         {3229, 0, 627, 1183, 0, 0, 0, 0, 0, 0, 926, 941, 23, 0, 0, 0, 0},                          // few_rows
         {3823, 0, 757, 981, 0, 0, 0, 0, 0, 0, 3740, 4612, 18.2, 0, 0, 1314, 0},                    // few_columns
         {0, 0, 1156, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                                    // vectors
         {1924, 491, 52, 0, 353, 41, 2.64, 18.2, 0, 0, 32, 36, 5.97, 115, 0, 0, 0},                 // short_32x64
         {2394, 29, 51, 0, 648, 48, 2.78, 43, 0, 0, 21, 24, 6.49, 310, 0, 0, 0},                    // short_32x128
         {2668, 0, 60, 0, 838, 83, 3.94, 83, 0, 0, 34, 37, 0.177, 669, 0, 0, 0},                    // short_32x256
         {2291, 0, 60, 0, 681, 43, 12.7, 20, 0, 0, 22, 24, 3.68, 176, 0, 0, 0},                     // short_64x64
         {2555, 0, 85, 0, 988, 71, 14.8, 47, 0, 0, 26, 29, 4.07, 129, 0, 0, 0},                     // short_64x128
         {2001, 788, 67, 0, 748, 71, 23, 13.9, 0, 0, 31, 32, 4.75, 564, 0, 0, 0},                   // short_128x64
         {26, 2325, 696, 0, 0, 892, 154, 276, 160, 7.31, 0, 0, 2.2, 0, 2239, 2478, 183},            // clusters_32x32
         {804, 1636, 320, 0, 0, 374, 14.3, 159, 128, 5.14, 0, 0, 35, 77, 2298, 1859, 177},          // clusters_8x32
         {762, 1641, 490, 0, 0, 319, 185, 0, 114, 14.2, 0, 0, 22, 54, 2340, 1880, 230},             // clusters_32x8
         {829, 3025, 664, 0, 0, 814, 84, 319, 246, 9.01, 0, 49, 0, 0, 4618, 2321, 0},               // clusters_32x64
         {3753, 3725, 2169, 2262, 644, 0, 0, 0, 0, 0, 29, 61, 0, 0, 0, 112, 113},                   // walk_128x256
         {4282, 2620, 2244, 2360, 1228, 0, 0, 0, 0, 0, 25, 91, 0, 0, 0, 2076, 287},                 // walk_64x128
         {4967, 1777, 2228, 2197, 0, 0, 0, 0, 0, 0, 53, 362, 0, 0, 0, 2186, 108},                   // walk_tn_128x256
         {4684, 2909, 2211, 2292, 0, 0, 0, 0, 0, 0, 34, 319, 0, 0, 0, 1591, 307},                   // walk_tn_64x128
         {4963, 5394, 2693, 0, 0, 0, 0, 0, 0, 0, 12.5, 276, 0, 0, 0, 0, 116},                       // walk_nt_128x256
         {6557, 2312, 2413, 0, 0, 0, 0, 0, 0, 0, 55, 314, 0, 0, 0, 826, 324},                       // walk_nt_64x128
         {4949, 2886, 2265, 2265, 0, 0, 0, 0, 0, 0, 39, 285, 0, 0, 0, 1516, 113},                   // walk_tt_256x128
         {4640, 3738, 2304, 2390, 0, 0, 0, 0, 0, 0, 9.3, 228, 0, 0, 0, 1520, 329},                  // walk_tt_64x128
         {2993, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 58, 0, 0, 2927, 80},                               // turned
     }},
};

inline const CostsOfGpu& costs_for(int capability) {
    const CostsOfGpu* found = kCostsOfGpus;
    for (const CostsOfGpu& each : kCostsOfGpus) {
        if (each.capability <= capability && each.capability > found->capability) found = &each;
    }
    return *found;
}

}  // namespace ladder
