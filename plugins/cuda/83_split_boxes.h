// Small products of numbers that are split, as in 83_split_inside.h, with operands that TMA copies as boxes.
//
// Against it: there each thread copies what it splits, 16 bytes at a time, and each such copy of a warp takes 32
// wavefronts of shared memory: for all warps 2048 of a step's 2800 cycles, in which no warp can load or store there.
// Here four threads request a box each, which takes only the wavefronts that its bytes need. What lies outside the
// operands comes as 0.
//   - Two teams of two warpgroups take alternate steps, each with a stage and sums of its own: while one waits, for
//     numbers, for its other warps or the tensor cores, the other one splits. With one team the four schedulers have
//     two warps each, which do the same thing at the same time.
//   - Each team chooses its format for itself (83_split_team.h), and goes on in FP32 where the wide one would lose
//     something, too.
//   - Four steps are in flight at the start, which at 512 are all of a block's. With three parts of BF16 there is no
//     room left for the sums that other blocks send, so these are put where the first step has been read.
// Where an operand's rows do not begin at multiples of 16 bytes, or only the device knows its address, or its rows run
// across n and N is no multiple of 4, the kernel of 83_split_inside.h is taken.
#pragma once

#include <type_traits>

#include "83_split_team.h"

namespace rung_83 {

// kSumsOfWide: into how many sums, one after the other, the tensor cores' products of a warpgroup's share of a step are
// cut in the wide format. As a condition in the kernel, whose code is long already, it takes 0.25 us of 10.4 at 512.
template <class NarrowFormat, class WideFormat, int kSumsOfWide = 1>
struct BoxesTile {
    using Narrow = NarrowFormat;
    using Wide = WideFormat;
    using Alone = InsideTile<Narrow, Wide>;  // a team's
    static constexpr int kSums = kSumsOfWide;
    static constexpr int kTeams = 2, kThreads = kTeams * Alone::kThreads;
    static constexpr int kRows = Alone::kRows, kCols = Alone::kCols, kWords = Alone::kWords;
    static constexpr int kSlices = kTeams * Alone::kSlices;
    static constexpr int kAhead = 4;  // steps that have arrived or are in flight
    static_assert(kAhead % kTeams == 0, "a place is always the same team's, which waits for one phase after the other");
    static_assert(kRows == 64 && kCols == 64 && Alone::kChunks == 1, "two boxes for a step of each operand");
    struct Shared {
        union {
            struct {
                typename Alone::Stage stages[kTeams];
                union {
                    ladder::ComingSteps<kAhead> coming;
                    struct {
                        ladder::SplitBoxes of_a;
                        float given[kRows][kCols];  // by the cluster's other blocks, once the first place was read
                    };
                };
            };
            float sums[kSlices][kRows][kCols + 8];
        };
        ladder::Mbarrier full[kAhead], met[kTeams], all_given;
        int lossy[kTeams];  // the number, from 1 on, of the team's last barrier at which a loss was reported
        int wide[kTeams];   // how many of its warps have gone over to the wide format before they met
    };
    static __device__ __forceinline__ unsigned slice() { return __shfl_sync(0xffffffff, threadIdx.x / 128, 0); }
    static_assert(sizeof(Shared) <= 227 << 10, "what a block can have");
    static_assert(sizeof(Shared::sums) <= sizeof(Shared::stages) + sizeof(ladder::SplitBoxes),
                  "given lies behind them");
};

// Adds the products of the team's steps from `step` on, whose numbers the chunk has, and returns the first that the
// format would lose, and its numbers.
template <class Format, int kSums, bool kIsWidest, class T>
__device__ __forceinline__ int multiply_steps(Team<T>& team, int step, ladder::Chunk& chunk, float (&sum)[T::kWords]) {
    if (step >= team.steps.last) return step;
    auto& stage = team.shared.stages[team.number()];
    constexpr int kPart = sizeof(stage.part[0]), kSlices = T::Alone::kSlices;
    constexpr int kRequests = 4 / kSlices / kSums;  // of 32 bytes
    const int of_slice = T::slice() % kSlices * (128 / kSlices);
    ladder::AsyncProducts products;
    float part[T::kWords];
    for (;;) {
        const bool is_lossy = team.template split<Format>(chunk);
        if (!kIsWidest && team.goes_wide(is_lossy)) return step;
        if (!is_lossy) ladder::show_rows_to_products();
        if (kIsWidest ? team.meet_wide(is_lossy) : team.meet_narrow()) return step;
        const auto a = ladder::SharedRows(stage.part[0][0]).at(of_slice).uniform();
        const auto b = ladder::SharedRows(stage.part[0][T::kRows]).at(of_slice).uniform();
#pragma unroll
        for (int s = 0; s < kSums; ++s) {
            ladder::request_batch<Format, kRequests>(products, a, kPart, b, kPart, s * kRequests * 32, part);
            if (s == 0) {
                team.release(step);
                step += T::kTeams;
                if (step < team.steps.last) team.steps.read(chunk, team.line(), step);
            }
            products.wait<0>(part);
            ladder::add_scaled<Format>(stage.factors[0], T::Alone::kLines, &stage.factors[0][T::kRows],
                                       T::Alone::kLines, T::Alone::place(), part, sum);
        }
        if (step >= team.steps.last) return step;
        team.meet();  // nobody's products read the stage any more
    }
}

// Grid: clusters of `size` blocks, a power of 2, for each tile of C.
template <class T>
__global__ void __launch_bounds__(T::kThreads, 1)
    split_boxes(const __grid_constant__ ladder::BoxSource a, const __grid_constant__ ladder::BoxSource b,
                ladder::SplitJob job, int size) {
    if (!ladder::kHasWgmma) return;
    extern __shared__ ladder::SharedKilobyte memory[];
    auto& shared = *reinterpret_cast<typename T::Shared*>(memory);
    ladder::Cluster cluster(memory->bytes, size);
    const int tiles_m = ladder::ceil_div(job.rows(), T::kRows), tile = cluster.number();
    const int2 corner = make_int2(tile % tiles_m * T::kRows, tile / tiles_m * T::kCols);
    const int N = job.operands.N, steps = ladder::ceil_div(N, kPackedDepth);
    const int first = steps * cluster.rank() / size, last = steps * (cluster.rank() + 1) / size;
    const ladder::BoxSteps<T::kAhead> own{a,     b,    job.operands.a, job.operands.b, corner,
                                          first, last, shared.coming,  shared.full};
    Team<T> team{own, shared, cluster};
    if (threadIdx.x == 0) {
        a.prefetch(), b.prefetch();
        for (auto& full : shared.full) full.init(ladder::kBoxesOfStep);
        for (auto& met : shared.met) met.init(kWarps);
        for (int t = 0; t < T::kTeams; ++t) shared.lossy[t] = shared.wide[t] = 0;
        ladder::announce_shares<T>(shared, cluster, size);
        ladder::show_barriers_to_own_copies();
    }
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    __syncthreads();
#pragma unroll 1
    for (int ahead = 0; ahead < T::kAhead && team.number() == 0; ++ahead) own.request(first + ahead, team.warp());
    if (threadIdx.x == 0) cluster.show_barriers();  // while the boxes are in flight
    __syncwarp();
    if (team.number() > 0 || first == last) cluster.begin();

    float sum[T::kWords] = {};
    int step = first + team.number();
    ladder::Chunk chunk;
    if (step < last) own.read(chunk, team.line(), step);
    using Narrow = typename T::Narrow;
    using Wide = typename T::Wide;
    if constexpr (std::is_same_v<Narrow, Wide>) {
        step = multiply_steps<Wide, T::kSums, true>(team, step, chunk, sum);
    } else {
        // The wide format may hold what the narrow one would lose. If not, the team goes on in FP32: code that could
        // try again later had registers spilled in the wide format's loop, and wild numbers took 12 us at 512 for 11.
        const bool is_wild = step < last && chunk.is_wild<Narrow>(own.is_along_n(team.line()));
        if (!team.goes_wide(is_wild)) step = multiply_steps<Narrow, 1, false>(team, step, chunk, sum);
        step = multiply_steps<Wide, T::kSums, true>(team, step, chunk, sum);
    }
    for (; step < last; step += T::kTeams) {
        constexpr int kDepth = kPackedDepth / T::Alone::kSlices;
        const int n = step * kPackedDepth + T::slice() % T::Alone::kSlices * kDepth;
        const int2 place = T::Alone::place();
        ladder::add_as_they_are(job, corner.x + place.x, corner.y + place.y, n, min(n + kDepth, N), sum);
        own.wait(step);  // no box may come later, when its place is another one's
        team.meet();     // nor may a warp fall two phases of the barrier behind: it would wait for one that never comes
        team.release(step);
    }

    __syncthreads();  // nobody reads the stages any more
    const int2 place = T::Alone::place();
#pragma unroll
    for (int i = 0; i < T::kWords; i += 2) {
        float* const to = &shared.sums[T::slice()][place.x + i / 2 % 2 * 8][place.y + i / 4 * 8];
        *reinterpret_cast<float2*>(to) = make_float2(sum[i], sum[i + 1]);
    }
    __syncthreads();
    // Each block of a cluster decides by its own numbers: one whose numbers all fit the narrow format adds the sums
    // that others send as it adds its own, not compensated.
    const bool is_wide = std::is_same_v<Narrow, Wide> || shared.wide[0] + shared.wide[1] > 0;
    ladder::send_and_store_share<T>(job, corner, shared, cluster, size, Wide::kIsCompensatedInside && is_wide);
}

}  // namespace rung_83
