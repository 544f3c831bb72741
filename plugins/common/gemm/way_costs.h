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
         {6620, 1250, 487, 0, 344, 1122, 0, 0, 87.9, 272, 0, 0, 0},          // plain_128x128
         {5215, 0, 402, 0, 629, 657, 0, 0, 59.7, 208, 7.31, 0, 0},           // plain_64x64
         {2611, 961, 401, 0, 20.8, 58.1, 0, 14, 85.8, 137, 32.8, 0, 0},      // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                      // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                      // cp_async
         {3847, 1441, 671, 0, 361, 1043, 160, 9.24, 35.8, 68.2, 0, 0, 0},    // resident_128x64
         {5201, 0, 1154, 0, 595, 422, 204, 4.66, 21.7, 52.9, 0, 0, 0},       // resident_64x64
         {3862, 0, 720, 0, 350, 255, 108, 7.94, 8.69, 54.4, 0, 0, 0},        // resident_64x32
         {2301, 1731, 1173, 1279, 185129, 0, 0, 0, 65, 250, 1.19, 0, 0},     // slices_64x128
         {1979, 1440, 1290, 1424, 0, 0, 0, 0, 97.7, 259, 0, 2040, 608},      // slices_64x64
         {1905, 2245, 1209, 1960, 0, 0, 0, 1.39, 134, 477, 7.97, 0, 0},      // slices_64x32
         {4191, 0, 452, 969, 0, 0, 0, 18.5, 1068, 725, 2.98, 0, 0},          // few_rows
         {5154, 0, 492, 813, 0, 0, 0, 0, 2831, 3008, 33.1, 715, 0},          // few_columns
         {0, 0, 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                         // vectors: its own model's
         {2697, 0, 40, 0, 441, 52.1, 0, 0, 29.8, 29.1, 15.1, 0, 0},          // short_32x64
         {2687, 0, 42.1, 0, 679, 62, 0, 0, 20.5, 23.2, 2.27, 0, 0},          // short_32x128
         {3120, 0, 45.5, 0, 847, 101, 0, 0, 36.6, 39, 0, 0, 0},              // short_32x256
         {2675, 0, 54.7, 0, 524, 63.7, 0, 0, 31.9, 34.3, 1.11, 0, 0},        // short_64x64
         {3196, 0, 76.1, 0, 411, 99.3, 0, 0, 46.4, 51.2, 0, 0, 0},           // short_64x128
         {2709, 527, 86, 0, 367, 80.8, 0, 0, 44.9, 50.4, 6.17, 0, 0},        // short_128x64
         {782, 1166, 1546, 0, 644, 139, 164, 31.3, 0, 0, 9.68, 3359, 184},   // clusters_32x32
         {1139, 1225, 586, 0, 82.6, 216, 166, 20.7, 0, 0, 17.8, 2649, 321},  // clusters_8x32
         {1200, 973, 845, 0, 292, 157, 104, 31, 0, 0, 9.03, 2770, 308},      // clusters_32x8
         {2413, 1520, 848, 0, 775, 652, 259, 22.4, 0, 0, 0, 3638, 0},        // clusters_32x64
         {2948, 5023, 2166, 2251, 0, 0, 0, 0, 32.1, 47.2, 0, 0, 111},        // walk_128x256
         {3560, 3505, 2246, 2360, 0, 0, 0, 0, 18, 68.3, 0, 1756, 290},       // walk_64x128
         {5781, 2453, 2205, 2176, 0, 0, 0, 0, 41.6, 343, 0, 277, 115},       // walk_tn_128x256
         {5473, 2868, 2144, 2342, 0, 0, 0, 0, 30.1, 268, 0, 452, 297},       // walk_tn_64x128
         {9224, 0, 2634, 0, 0, 0, 0, 0, 69.1, 344, 0, 1865, 112},            // walk_nt_128x256
         {6409, 2244, 2406, 0, 0, 0, 0, 0, 42.3, 320, 0, 1222, 310},         // walk_nt_64x128
         {6087, 2694, 2246, 2259, 0, 0, 0, 0, 41.5, 337, 0, 1738, 99.7},     // walk_tt_256x128
         {5408, 3151, 2284, 2386, 0, 0, 0, 0, 24, 301, 0, 720, 323},         // walk_tt_64x128
         {3063, 0, 0, 0, 0, 0, 0, 0, 0, 0, 44.2, 3078, 110},                 // turned
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
