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
    warp_tile,      // 60
    cp_async,       // 64
    slices_64x128,  // 69, and 87 for batches
    slices_64x64,
    slices_64x32,
    few_rows,     // 76
    few_columns,  // 78
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
    "plain_128x128",   "plain_64x64",    "plain_16x16",     "warp_tile",      "cp_async",        "slices_64x128",
    "slices_64x64",    "slices_64x32",   "few_rows",        "few_columns",    "short_32x64",     "short_32x128",
    "short_32x256",    "short_64x64",    "short_64x128",    "short_128x64",   "clusters_32x32",  "clusters_8x32",
    "clusters_32x8",   "clusters_32x64", "walk_128x256",    "walk_64x128",    "walk_tn_128x256", "walk_tn_64x128",
    "walk_nt_128x256", "walk_nt_64x128", "walk_tt_256x128", "walk_tt_64x128", "turned",          "one_by_one"};
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
         {7043, 589, 461, 0, 528, 1134, 0, 0, 89.4, 272, 0, 0, 0},           // plain_128x128
         {5203, 0, 408, 0, 595, 654, 0, 0, 61.4, 212, 7.38, 0, 0},           // plain_64x64
         {2592, 984, 400, 0, 0, 61.5, 0, 12.4, 99.9, 157, 31.5, 0, 0},       // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                      // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                      // cp_async
         {2273, 1748, 1175, 1275, 126517, 0, 0, 0, 64.1, 246, 0.547, 0, 0},  // slices_64x128
         {2030, 1400, 1291, 1420, 0, 0, 0, 0, 100, 255, 0, 2028, 611},       // slices_64x64
         {2045, 2065, 1218, 1961, 0, 0, 0, 1.06, 155, 474, 8.69, 0, 0},      // slices_64x32
         {3910, 0, 500, 1034, 0, 0, 0, 12.3, 1051, 1204, 0, 0, 0},           // few_rows
         {5269, 0, 450, 797, 0, 0, 0, 0, 3672, 3038, 37.8, 1054, 0},         // few_columns
         {2697, 0, 40, 0, 441, 52.1, 0, 0, 29.8, 29.1, 15.1, 0, 0},          // short_32x64
         {2687, 0, 42.1, 0, 679, 62, 0, 0, 20.5, 23.2, 2.27, 0, 0},          // short_32x128
         {3120, 0, 45.5, 0, 847, 101, 0, 0, 36.6, 39, 0, 0, 0},              // short_32x256
         {2675, 0, 54.7, 0, 524, 63.7, 0, 0, 31.9, 34.3, 1.11, 0, 0},        // short_64x64
         {3196, 0, 76.1, 0, 411, 99.3, 0, 0, 46.4, 51.2, 0, 0, 0},           // short_64x128
         {2709, 527, 86, 0, 367, 80.8, 0, 0, 44.9, 50.4, 6.17, 0, 0},        // short_128x64
         {708, 1151, 1565, 0, 705, 152, 157, 30.5, 0, 0, 10.8, 3355, 166},   // clusters_32x32
         {1091, 1296, 563, 0, 60.4, 263, 156, 18.7, 0, 0, 18.4, 2617, 337},  // clusters_8x32
         {1147, 1002, 867, 0, 306, 131, 105, 31.6, 0, 0, 11.8, 2712, 324},   // clusters_32x8
         {2426, 1479, 799, 0, 784, 752, 233, 19.8, 0, 0, 0, 3623, 0},        // clusters_32x64
         {2861, 5275, 2157, 2228, 0, 0, 0, 0, 26.1, 45.7, 0, 0, 120},        // walk_128x256
         {3635, 3397, 2247, 2352, 0, 0, 0, 0, 20.3, 70.9, 0, 1832, 288},     // walk_64x128
         {6092, 2024, 2202, 2168, 0, 0, 0, 0, 48.7, 341, 0, 0, 128},         // walk_tn_128x256
         {5410, 2927, 2135, 2340, 0, 0, 0, 0, 27.7, 264, 0, 411, 290},       // walk_tn_64x128
         {8348, 850, 2622, 0, 0, 0, 0, 0, 64.6, 320, 0, 0, 150},             // walk_nt_128x256
         {6634, 1897, 2396, 0, 0, 0, 0, 0, 46.5, 315, 0, 1336, 318},         // walk_nt_64x128
         {5525, 3062, 2218, 2239, 0, 0, 0, 0, 38.9, 349, 0, 1815, 93.4},     // walk_tt_256x128
         {5117, 3394, 2271, 2412, 0, 0, 0, 0, 16, 294, 0, 926, 292},         // walk_tt_64x128
         {3044, 0, 0, 0, 0, 0, 0, 0, 0, 0, 45.9, 3085, 108},                 // turned
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
