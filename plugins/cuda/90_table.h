// What 90_dispatch.cu knows of its kernels. The rows of a compute capability are written by `make tune`.
#pragma once

#include <iterator>
#include <span>

#include "../common/gemm/speed.h"

namespace rung_90 {

// The kernels, in the order of kKernels: 60, 64, the tiles of 69, 76 or 78, the tiles of 86, 79, 77.
enum class KernelId {
    warp_tile,
    cp_async,
    slices_64x128,
    slices_64x64,
    slices_64x32,
    thin,
    stream_k_128x256,
    stream_k_64x128,
    cluster_slices,
    short_sums,
};

using ladder::Speed;  // of `thin` and `short_sums` the rate is the part of what their models promise

struct Measured {
    int capability;  // times 10, of the GPU; a GPU takes the rows of the newest one that is not newer
    KernelId kernel;
    double rate, rate_of_words;  // the latter where rows do not begin at multiples of 16 bytes
    double start;                // cycles
};

constexpr Measured kTable[] = {
    // Turing: not measured on one; 60 needs no rival but the thin one.
    {75, KernelId::warp_tile, 0.80, 0.76, 6000},
    {75, KernelId::thin, 1.00, 0.95, 3000},
    // Ampere and Ada: not measured on one, these are the figures of an H100.
    {80, KernelId::cp_async, 0.797, 0.762, 10336},
    {80, KernelId::slices_64x128, 0.790, 0.728, 6786},
    {80, KernelId::slices_64x64, 0.715, 0.675, 4431},
    {80, KernelId::slices_64x32, 0.694, 0.448, 5609},
    {80, KernelId::thin, 0.918, 0.838, 3216},
    // NVIDIA H100 80GB HBM3
    {90, KernelId::warp_tile, 0.761, 0.693, 7992},
    {90, KernelId::cp_async, 0.797, 0.765, 10484},
    {90, KernelId::slices_64x128, 0.799, 0.738, 7190},
    {90, KernelId::slices_64x64, 0.721, 0.670, 4956},
    {90, KernelId::slices_64x32, 0.724, 0.447, 5597},
    {90, KernelId::thin, 0.925, 0.801, 3014},
    {90, KernelId::stream_k_128x256, 0.881, 0.860, 14174},
    {90, KernelId::stream_k_64x128, 0.834, 0.802, 6951},
    {90, KernelId::cluster_slices, 0.50, 0.50, 4800},  // predicted, and a third added: not measured yet
    {90, KernelId::short_sums, 0.80, 0.80, 0},         // the same
};

// The rows of the newest GPU in the table that is not newer than `capability`.
inline std::span<const Measured> rows_for(int capability) {
    const Measured* first = kTable;
    for (const Measured& each : kTable) {
        if (each.capability <= capability && each.capability > first->capability) first = &each;
    }
    const Measured* end = first;
    while (end < std::end(kTable) && end->capability == first->capability) ++end;
    return {first, end};
}

}  // namespace rung_90
