// A matrix times one to four vectors, whatever the forms of the operands: how that is a matter of lines of the matrix,
// how these are divided among blocks, and how long it takes.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "../export/gemm.h"
#include "../ptx/cluster.h"
#include "../ptx/l2_policy.h"
#include "cluster_room.h"
#include "cost_model.h"
#include "epilogue.h"

namespace ladder {

constexpr int kMostVectors = 4;

// C[line][v] = the sum over n of matrix[line][n] * vectors[n][v], where a line lies along n, or across: then the matrix
// is one of N rows, and a line is a column of it.
struct VectorProduct {
    const float* matrix;
    int64_t ld;
    const float* vectors;
    int64_t step_n, step_v;  // floats from one number of a vector to the next, and from vector to vector
    float* C;
    int64_t c_line, c_v;
    int lines, N, count;
    bool along;  // n
    float evict_first;
    Epilogue epilogue;

    // There are four vectors, what they have for an n is 16 bytes in a row and aligned, and lines lie along n.
    bool four_beside() const { return along && count == 4 && step_v == 1 && aligned16(vectors, step_n); }
};

// The part of a matrix of so many bytes that is evict-first. All of one that is somewhat larger than what stays in L2
// otherwise (l2_policy.h): in calls back to back it is found there all the same, and where others have used L2 it does
// not drive out what they have written, which has to go to memory first. 1 x 4096 x 1700 takes 16.0 us then, for 18.3.
inline float evict_first_of(double bytes) {
    constexpr double kHeld = 0.55;  // of L2: 34 MB of an H200
    const float fraction = evict_first_fraction(bytes);
    return fraction > 0 && bytes < kHeld * current_device().l2 ? 1.0f : fraction;
}

// A single line across n whose ld is 1 is contiguous, and so lies along n. Else there must be at least three lines
// across n, or a thread's four could reach both before the first and past the last.
inline std::optional<VectorProduct> possible(VectorProduct product) {
    if (product.along || product.lines > 2) return product;
    product.along = product.lines == 1 && product.ld == 1;
    return product.along ? std::optional(product) : std::nullopt;
}

// The product, or its operands' roles exchanged: C' = op(B)' * op(A)'. None if C has more rows or columns than that.
inline std::optional<VectorProduct> by_columns(const solve_gemm_t& call) {
    if (call.K > kMostVectors) return std::nullopt;
    const bool a = call.transpose_a == SOLVE_T, b = call.transpose_b == SOLVE_T;
    const float evict_first = evict_first_of(4.0 * call.M * call.N);
    return possible({call.A,
                     call.lda,
                     call.B,
                     b ? 1 : call.ldb,
                     b ? call.ldb : 1,
                     call.C,
                     call.ldc,
                     1,
                     call.M,
                     call.N,
                     call.K,
                     !a,
                     evict_first,
                     {call.alpha, call.beta}});
}
inline std::optional<VectorProduct> by_rows(solve_gemm_t call) {
    const bool a = call.transpose_a == SOLVE_T, b = call.transpose_b == SOLVE_T;
    std::swap(call.M, call.K), std::swap(call.A, call.B), std::swap(call.lda, call.ldb);
    call.transpose_a = b ? SOLVE_N : SOLVE_T, call.transpose_b = a ? SOLVE_N : SOLVE_T;
    auto product = by_columns(call);
    if (product) std::swap(product->c_line, product->c_v);  // C itself stays as it lies
    return product;
}

// What a block of a kernel is made of.
struct VectorKernel {
    int threads;
    int rows;                                                      // along n: that a thread has
    int (*resident_with)(int vectors, bool along, bool streamed);  // blocks per SM
};

struct VectorPlan {
    int lanes = 0;  // adjacent along a row of the matrix
    int lines = 0;  // of a group of blocks
    int groups = 0;
    int blocks = 1;  // of a group, a cluster, among which N is cut
    int depth = 0;   // of N
    // If not 0, a thread has twice as many loads in flight, and there is one block per SM at most, so that those of the
    // next call have room beside it; where no call was running before this one, all of the matrix is evict-first. Of
    // each n across which lines lie, a thread reads 16 bytes at so many places: 1, 2 or 4.
    int streamed = 0;
    double cycles = kNever;
};

// The cycles of the plan's blocks, which read so many bytes each, a thread by so many loads of 16. Fitted to 2844
// plans of 349 matrices on an H200, calls back to back: the plan that it takes is 2.6 % slower than the best one.
// One more block per SM costs as much as 15 to 25 KB: its addresses, its first latency, its sums. So few wide blocks
// are better than many narrow ones: 1 x 436 x 14839 takes 5.6 us with 32 adjacent lanes, 18.9 with two. But a
// single block per SM has too few loads in flight for what comes from memory, unless it is streamed: 3612 x 5564 across
// n took 20.3 us as 116 blocks, and 16.3 as 232.
inline double vector_cycles(const VectorKernel& kernel, const VectorPlan& plan, const VectorProduct& product,
                            double bytes, double loads, const DeviceFigures& device) {
    constexpr double kOfCluster = 1250, kOfKb = 28, kNarrow = 0.23;
    // A factor to all that for four vectors that are read 16 bytes at a time: the mean of 44 products.
    constexpr double kFourBeside = 0.75;
    // What a KB costs more if it comes from memory, at the GB/s of an H200, and if a block is alone on its SM.
    constexpr double kOfMemory = 20, kAlone = 12, kMemoryOfH200 = 4800;
    const bool along = product.along;
    const double start = along ? 1200 : 0, of_block = along ? 450 : 670;
    const double of_wave = (along ? 600 : 1650) + (product.count > 2 ? 2000 : 0);
    // A warp's load, for each further vector; four that are read word by word across n come from few banks of L1.
    const bool few_banks = product.count == 4 && product.step_n != 1 && !product.four_beside();
    const double of_vector = !along ? 1.5 : few_banks ? 7 : 3.5;

    const ClusterRoom& room = cluster_room(device);
    const int most = kernel.resident_with(product.count, along, plan.streamed),
              at_a_time = room.at_a_time(plan.blocks, most);
    const int waves = ceil_div(plan.groups, at_a_time), last = plan.groups - (waves - 1) * at_a_time;
    int of_last = 1;  // blocks per SM, in the last wave
    while (of_last < most && room.at_a_time(plan.blocks, of_last) < last) ++of_last;
    const double of_sm = (waves - 1.0) * most + of_last, kb = of_sm * bytes / 1000;

    const double all = 4.0 * product.lines * product.N;
    const double from_memory = all > 0 ? std::max(all - kept_in_l2(device), 0.0) / all : 0;  // that part of it
    const double narrow = plan.lanes < 8 ? kNarrow * (8.0 / plan.lanes - 1) : 0;  // pieces of less than 128 bytes
    const double slower = device.memory > 0 ? kMemoryOfH200 / device.memory : 1;
    const double alone = of_sm == 1 && !plan.streamed ? kAlone : 0;
    const double of_kb = kOfKb * (1 + narrow) + from_memory * slower * (kOfMemory + alone);
    return (product.four_beside() ? kFourBeside : 1) *
           (start + waves * of_wave + of_sm * of_block + kb * of_kb + (plan.blocks > 1 ? kOfCluster : 0) +
            (product.count - 1) * of_sm * kernel.threads / 32 * loads * of_vector);
}

// Those that are not streamed; those that are; and of rows across n further streamed ones, in clusters of any size and
// by blocks of seven eighths of the columns, for where no other streamed plan is worth it: 4096 columns of a matrix
// whose rows are not aligned are 34 groups of 124, too many for clusters of four on 132 SMs. 1 x 4096 x 4096 takes 24.5
// us cold by 37 groups in clusters of three, and 30.5 where it is not streamed (H200).
enum class Plans { kOthers, kStreamed, kFurther };

// Calls visit(plan) for each of these plans. On GPUs with clusters N is cut where there are fewer than two groups per
// SM.
template <class Visit>
void for_each_vector_plan(const VectorKernel& kernel, const VectorProduct& product, Plans plans,
                          const DeviceFigures& device, Visit visit) {
    const bool odd = !aligned16(product.matrix, product.ld), streamed = plans != Plans::kOthers;
    const auto consider = [&](int lanes, int lines, int groups, int places, auto cycles_of) {
        const int most = device.capability >= 90 && groups <= 2 * device.sms ? kMostOfCluster : 1;
        for (int blocks = 1; blocks <= most; blocks = plans == Plans::kFurther ? blocks + 1 : 2 * blocks) {
            if (streamed && groups * blocks > device.sms) break;
            const int64_t whole = (int64_t{product.N} + 32 * blocks - 1) / (32 * blocks) * 32;
            const int depth = static_cast<int>(std::min<int64_t>(whole, product.N));
            if (int64_t{blocks - 1} * depth >= product.N) break;
            VectorPlan plan{lanes, lines, groups, blocks, depth, streamed ? places : 0};
            plan.cycles = cycles_of(plan, std::min(depth, product.N));
            visit(plan);
        }
    };
    if (product.along) {
        const int rows = kernel.rows, teams = (product.lines / (4 * rows) + (product.lines % (4 * rows) != 0)) * 4;
        for (const int lanes : {8, 32, 128}) {
            if (streamed && lanes == 8) continue;
            const int of_block = kernel.threads / lanes;
            consider(lanes, of_block * rows, ceil_div(teams, of_block), 1, [&](const VectorPlan& plan, double n) {
                return vector_cycles(kernel, plan, product, 4 * n * plan.lines, std::ceil(n / 4 / lanes) * rows,
                                     device);
            });
        }
        return;
    }
    const auto across = [&](int lanes, int lines, int places) {
        const double of_block = 32.0 / lanes * (kernel.threads / 32), sectors = lines / 8.0 + (odd ? 1 : 0);
        consider(lanes, lines, ceil_div(product.lines, lines), places, [&](const VectorPlan& plan, double n) {
            return vector_cycles(kernel, plan, product, 32 * sectors * n, std::ceil(n / of_block), device);
        });
    };
    const int beside = odd ? 4 : 0;  // columns that neighbouring blocks both read
    if (plans == Plans::kFurther) {
        for (const int places : {1, 2, 4}) {
            for (const int lines : {128 * places - beside, 112 * places}) across(32, lines, places);
        }
        return;
    }
    for (int lanes = streamed ? 8 : 2; lanes <= 32; lanes *= 2) across(lanes, 4 * lanes - beside, 1);
    if (!streamed) return;
    const int lines = ceil_div(ceil_div(product.lines, device.sms), 8) * 8;  // a block for each SM, in whole sectors
    for (const int places : {2, 4}) {
        if (lines > places * 64 - beside && lines <= places * 128 - beside) across(32, lines, places);
    }
}

// The best one that is not streamed.
inline VectorPlan vector_plan(const VectorKernel& kernel, const VectorProduct& product, const DeviceFigures& device) {
    VectorPlan best;
    for_each_vector_plan(kernel, product, Plans::kOthers, device, [&](const VectorPlan& plan) {
        if (plan.cycles < best.cycles) best = plan;
    });
    return best;
}

// What to launch in its place: for a single vector and a matrix of which a part is evict-first, the best streamed plan,
// unless that seems more than so much slower.
inline VectorPlan streamed_if_worth(const VectorPlan& plan, const VectorKernel& kernel, const VectorProduct& product,
                                    const DeviceFigures& device) {
    const double most = product.along ? 1 : 1.2;
    const bool beside = product.step_n == 1;  // the vector's numbers, as the kernel for rows along n wants them
    if (product.count > 1 || product.evict_first == 0 || device.capability < 90) return plan;
    if (product.along && !beside) return plan;
    VectorPlan best;
    for (const Plans plans : {Plans::kStreamed, Plans::kFurther}) {
        if (plans == Plans::kFurther && (product.along || best.cycles <= most * plan.cycles)) break;
        for_each_vector_plan(kernel, product, plans, device, [&](const VectorPlan& streamed) {
            if (streamed.cycles < best.cycles) best = streamed;
        });
    }
    return best.cycles <= most * plan.cycles ? best : plan;
}

}  // namespace ladder
