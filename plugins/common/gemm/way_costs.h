// The kernels that 79, 77 and 90 choose among, each with its tile, and what their work costs (work.h), measured.
#pragma once

#include <cstddef>
#include <iterator>

#include "work.h"

namespace ladder {

enum class WayId {
    plain_128x128,  // 56
    plain_64x64,
    plain_16x16,
    warp_tile,        // 60
    cp_async,         // 64
    resident_128x64,  // 67
    resident_64x64,
    resident_64x32,
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
    "plain_128x128",   "plain_64x64",    "plain_16x16",     "warp_tile",      "cp_async",        "resident_128x64",
    "resident_64x64",  "resident_64x32", "slices_64x128",   "slices_64x64",   "slices_64x32",    "few_rows",
    "few_columns",     "vectors",        "short_32x64",     "short_32x128",   "short_32x256",    "short_64x64",
    "short_64x128",    "short_128x64",   "clusters_32x32",  "clusters_8x32",  "clusters_32x8",   "clusters_32x64",
    "walk_128x256",    "walk_64x128",    "walk_tn_128x256", "walk_tn_64x128", "walk_nt_128x256", "walk_nt_64x128",
    "walk_tt_256x128", "walk_tt_64x128", "turned",          "one_by_one"};
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

// start, waves, steps, word_steps, blocks, block_steps, copies, l2_kb, store_kb, word_kb, memory_kb, parts, of_parts
constexpr CostsOfGpu kCostsOfGpus[] = {
    {90,
     {
         // NVIDIA H100 80GB HBM3
         {6266, 1947, 493, 0, 53.9, 1124, 0, 0, 88.9, 273, 0, 0, 0},         // plain_128x128
         {5188, 0, 404, 0, 638, 661, 0, 0, 59.1, 207, 7.5, 0, 0},            // plain_64x64
         {2648, 909, 402, 0, 37.9, 56.4, 0, 15, 73, 125, 32.5, 0, 0},        // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                      // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                      // cp_async
         {4052, 1511, 632, 0, 202, 1108, 119, 8.3, 38.5, 71.8, 0, 0, 0},     // resident_128x64
         {5309, 0, 1135, 0, 541, 480, 156, 0.506, 21.5, 57.2, 0, 0, 0},      // resident_64x64
         {3965, 0, 704, 0, 341, 262, 115, 6.58, 11.5, 55.1, 0, 0, 0},        // resident_64x32
         {2245, 1827, 1176, 1281, 179376, 0, 0, 0, 60.8, 246, 0.948, 0, 0},  // slices_64x128
         {1798, 1666, 1294, 1427, 0, 0, 0, 0, 80.1, 248, 0, 1975, 611},      // slices_64x64
         {1972, 2235, 1217, 1962, 0, 0, 0, 1.52, 138, 476, 12.4, 0, 0},      // slices_64x32
         {4184, 0, 454, 989, 0, 0, 0, 19.3, 713, 732, 3.61, 0, 0},           // few_rows
         {5043, 0, 554, 843, 0, 0, 0, 0, 2442, 3344, 30.3, 640, 0},          // few_columns
         {0, 0, 1089, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                         // vectors
         {2773, 0, 40.8, 0, 401, 53, 0, 0, 35.6, 35.7, 12.6, 0, 0},          // short_32x64
         {2869, 0, 39.1, 0, 568, 65.2, 0, 0, 29.3, 30.3, 0.668, 0, 0},       // short_32x128
         {3248, 0, 47.8, 0, 775, 102, 0, 0, 40.1, 40.6, 0, 0, 0},            // short_32x256
         {2858, 0, 51.4, 0, 405, 67, 0, 0, 40.9, 41, 0.68, 0, 0},            // short_64x64
         {3227, 0, 74.9, 0, 425, 104, 0, 0, 47.3, 49.6, 0, 0, 0},            // short_64x128
         {2708, 783, 83.5, 0, 150, 84.6, 0, 0, 49.7, 53.3, 4.79, 0, 0},      // short_128x64
         {821, 1165, 1535, 0, 623, 164, 164, 30.3, 0, 0, 9.93, 3308, 198},   // clusters_32x32
         {1162, 1214, 593, 0, 83, 210, 167, 20.8, 0, 0, 18.5, 2649, 316},    // clusters_8x32
         {1265, 864, 861, 0, 340, 164, 91.6, 30.7, 0, 0, 9.53, 2784, 294},   // clusters_32x8
         {2186, 1859, 844, 0, 681, 643, 268, 22.3, 0, 0, 0, 3670, 0},        // clusters_32x64
         {3007, 5083, 2171, 2261, 0, 0, 0, 0, 31.8, 45.7, 0, 0, 108},        // walk_128x256
         {3522, 3598, 2249, 2366, 0, 0, 0, 0, 16.7, 64, 0, 1706, 292},       // walk_64x128
         {7329, 1308, 2203, 2214, 0, 0, 0, 0, 45.9, 329, 0, 120, 112},       // walk_tn_128x256
         {5676, 2771, 2139, 2341, 0, 0, 0, 0, 33.6, 269, 0, 205, 306},       // walk_tn_64x128
         {8415, 413, 2664, 0, 0, 0, 0, 0, 68.2, 333, 0, 1544, 113},          // walk_nt_128x256
         {6121, 2440, 2423, 0, 0, 0, 0, 0, 45.5, 304, 0, 1302, 303},         // walk_nt_64x128
         {6710, 2050, 2259, 2268, 0, 0, 0, 0, 45.8, 335, 0, 1652, 108},      // walk_tt_256x128
         {5589, 2958, 2321, 2389, 0, 0, 0, 0, 27.7, 305, 0, 841, 320},       // walk_tt_64x128
         {3071, 0, 0, 0, 0, 0, 0, 0, 0, 0, 44, 3095, 110},                   // turned
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
