// What 90_dispatch.cu knows of its kernels. The rows of a compute capability are written by `make tune`.
#pragma once

// The kernels, in the order of kKernels: 60, 64, 68, the tiles of 69, 78, the tiles of 82.
enum class KernelId {
    warp_tile,
    cp_async,
    split_n,
    slices_64x128,
    slices_64x64,
    slices_64x32,
    thin,
    any_shape_128x256,
    any_shape_64x256,
    any_shape_64x128,
    any_shape_64x64,
};

// What a model is given: the part of the FFMA peak that the loop reaches (of `thin`, that of the memory's speed in its
// model), and the cycles of a product that are not the loop's.
struct Speed {
    double rate, start;
};

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
    {80, KernelId::cp_async, 0.78, 0.74, 6000},
    {80, KernelId::split_n, 0.78, 0.74, 6000},
    {80, KernelId::slices_64x128, 0.77, 0.73, 6500},
    {80, KernelId::slices_64x64, 0.70, 0.66, 6500},
    {80, KernelId::slices_64x32, 0.66, 0.63, 6500},
    {80, KernelId::thin, 1.00, 0.95, 3000},
    // NVIDIA H100 80GB HBM3
    {90, KernelId::warp_tile, 0.759, 0.692, 7448},
    {90, KernelId::cp_async, 0.796, 0.759, 10109},
    {90, KernelId::split_n, 0.770, 0.759, 10108},
    {90, KernelId::slices_64x128, 0.749, 0.704, 6328},
    {90, KernelId::slices_64x64, 0.672, 0.631, 4948},
    {90, KernelId::slices_64x32, 0.700, 0.453, 5719},
    {90, KernelId::thin, 0.930, 0.848, 4820},
    {90, KernelId::any_shape_128x256, 0.839, 0.788, 12655},
    {90, KernelId::any_shape_64x256, 0.771, 0.510, 8158},
    {90, KernelId::any_shape_64x128, 0.700, 0.477, 6360},
    {90, KernelId::any_shape_64x64, 0.651, 0.693, 6307},
};
