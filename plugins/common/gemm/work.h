// What a product asks of a kernel, counted, and the model of its time: so many of each, at what one of them costs.
//
// A kernel's costs are measured: `make tune` times it at random shapes and fits what it counts (way_costs.h). The model
// is a sum, though parts of a product overlap: of thirty ways it takes one that is 3 % slower than the fastest, in the
// mean of shapes that nothing was fitted to, and with trees of what the sum misses (cost_trees.h) 1.7 %
// (notes/90_dispatch.md has what else was tried).
#pragma once

#include <algorithm>
#include <cmath>

#include "../export/device.h"
#include "../export/gemm.h"
#include "cost_model.h"

namespace ladder {

// Counts of the whole call. Per SM: of the busiest SM. KB: 1000 bytes per SM, the mean over all SMs.
struct Work {
    double start = 0;        // 1: the launch
    double waves = 0;        // per SM: of resident blocks
    double steps = 0;        // per SM: of the loop, in all its waves
    double word_steps = 0;   // those steps whose operands come word by word
    double blocks = 0;       // per SM
    double block_steps = 0;  // per SM: steps of all its blocks, resident together or not
    double along_a = 0;      // those, if the rows of op(A) lie along n in memory
    double along_b = 0;      // and if the columns of op(B) do
    double copies = 0;       // per SM: hundreds of copies of a warp
    double l2_kb = 0;        // that blocks read
    double store_kb = 0;     // of C, 16 bytes at a time
    double word_kb = 0;      // of C, word by word
    double memory_kb = 0;    // of all matrices, as far as half of L2 does not hold them
    double crowded = 0;      // 1: with so many resident blocks that those of the next kernel do not fit beside them
    double packed = 0;       // 0 to 1: the clusters of a wave over how many can be active at a time
    double parts = 0;        // 1: a contraction is divided among blocks, whose sums are added in the end
    double of_parts = 0;     // how much that is: KB of sums, or the logarithm of a cluster's size
};

// What one of each costs, in cycles of 1.755 GHz.
using Costs = Work;

using Count = double Work::*;
constexpr Count kCounts[] = {&Work::start,       &Work::waves,   &Work::steps,     &Work::word_steps, &Work::blocks,
                             &Work::block_steps, &Work::along_a, &Work::along_b,   &Work::copies,     &Work::l2_kb,
                             &Work::store_kb,    &Work::word_kb, &Work::memory_kb, &Work::crowded,    &Work::packed,
                             &Work::parts,       &Work::of_parts};

inline double cycles_of(const Costs& costs, const Work& work) {
    double cycles = 0;
    for (const Count count : kCounts) cycles += costs.*count * work.*count;
    return cycles;
}

// Of so many KB per SM of all matrices those that half of L2 does not hold.
inline double beyond_l2(double kb, const DeviceFigures& device) {
    return std::max(kb - 0.5e-3 * device.l2 / device.sms, 0.0);
}

// The bytes of a call in tiles of kM x kK, whatever kernel it is.
inline Work bytes_of_tiles(const solve_gemm_t& call, const Vectors& vectors, int kM, int kK,
                           const DeviceFigures& device) {
    const double M = call.M, N = call.N, K = call.K, kb = 4e-3 * call.batch / device.sms;
    Work work{.start = 1};
    work.l2_kb = kb * N * (M * ceil_div(call.K, kK) + K * ceil_div(call.M, kM));
    (vectors.c ? work.store_kb : work.word_kb) = kb * M * K;
    work.memory_kb = beyond_l2(kb * (M * N + N * K + M * K), device);
    return work;
}

// What no kernel stays below: 128 FFMA a cycle on each SM.
inline double least_cycles(const solve_gemm_t& call, const DeviceFigures& device) {
    return ffma_cycles(double(call.M) * call.K / device.sms, double(call.N) * call.batch, 1);
}

// The tiles of a call, and the most of so many blocks per SM.
inline double tiles_of_call(const solve_gemm_t& call, int kM, int kK) {
    return double(ceil_div(call.M, kM)) * ceil_div(call.K, kK) * call.batch;
}
inline double most_of_sm(double blocks, const DeviceFigures& device) {
    return std::ceil(blocks / device.sms);
}

inline void count_block_steps(Work& work, const solve_gemm_t& call, double steps) {
    work.block_steps = steps;
    if (call.transpose_a == SOLVE_N) work.along_a = steps;
    if (call.transpose_b == SOLVE_T) work.along_b = steps;
}

// The occupancy of a kernel that has so many blocks, `resident` of them per SM at most, and its waves.
inline void count_occupancy(Work& work, double blocks, int resident, const DeviceFigures& device) {
    work.blocks = most_of_sm(blocks, device);
    work.waves = std::ceil(work.blocks / resident);
    work.crowded = blocks / device.sms / resident > 0.5;
}

// Of a kernel whose blocks have a tile each, `resident` of them per SM at a time, and take N in steps of kN.
inline Work work_of_blocks(const solve_gemm_t& call, const Vectors& vectors, int kM, int kK, int kN, int resident,
                           const DeviceFigures& device) {
    Work work = bytes_of_tiles(call, vectors, kM, kK, device);
    count_occupancy(work, tiles_of_call(call, kM, kK), resident, device);
    work.steps = work.waves * ceil_div(call.N, kN);
    count_block_steps(work, call, work.blocks * ceil_div(call.N, kN));
    return work;
}

// A warp's copies for a step: kN n of kM rows of A and kK columns of B.
inline double copies_of_step(const Vectors& vectors, int kM, int kK, int kN) {
    return kN * (kM / (vectors.a ? 4.0 : 1.0) + kK / (vectors.b ? 4.0 : 1.0)) / 32;
}

// With the steps counted as those of words, if they are.
inline Work with_words(Work work, bool words) {
    if (words) work.word_steps = work.steps, work.steps = 0;
    return work;
}

}  // namespace ladder
