// A matrix times one to four vectors (GEMV): 16 bytes at a time, however its rows lie.
//
// Against 76 and 78: no ring, no barrier for each chunk, small blocks. Where the matrix is in L2, and 1 x 369 x 1025 is
// 1.5 MB of it, what takes the time is the start of a block and one latency after another: here the addresses are
// computed while the kernel before works, all that a thread reads is requested at once, or eight loads of it are in
// flight, and numbers of the vector come straight from L1.
//
// Rows of odd length begin 0 to 3 words past a multiple of 16 bytes. Rows n, n + 4, n + 8, ... have the same offset, so
// a thread (rows along n) or warp (rows across n) takes those. Along n, four lanes take the words before the first 16
// bytes and four those behind the last. Across n, threads begin up to 3 columns further left, and blocks overlap by 4.
// Of four vectors that are interleaved, an N x 4 matrix, a load brings all that they have for an n.
//
// If there are too few blocks, N is cut among those of a cluster, which read each other's sums in one order: the same
// bits every run. On GPUs without clusters it is not cut.
//
// The next kernel's blocks may start when all blocks of this one have begun to load (programmatic dependent launch). If
// they could start earlier, those of the next two kernels would fill the free room unevenly, two on one SM and none on
// another: 1 x 1833 x 3531 then takes 11.7 us, not 7.5.
//
// A vector times a matrix that L2 does not hold is streamed: a block per SM, twice the loads in flight. If no kernel of
// these was running when it began, it keeps nothing of the matrix in L2, since whatever is there must be written first.
//
// Limit: L2, at some 5 TB/s, or memory; below 5 MB the launch, 2 us for one that overlaps the one before.
// Source: cuBLAS (gemv); CUTLASS (distributed shared memory).
// build: least=75
#include "../common/gemm/cluster_room.h"
#include "60_warp_tile.cu"
#include "75_across.h"
#include "75_choice.h"

namespace rung_75 {

// Rows along n. A team of kLanes threads has kRows rows, the first of which is first_row.
template <int kCount, Beside kBeside, int kLanes, bool kStreamed = false>
__global__ void __launch_bounds__(kThreads, resident_with(kCount, true, kStreamed))
    along_n(ladder::VectorProduct product, int blocks, int depth) {
    constexpr int kTeams = kThreads / kLanes, kStep = 4 * kLanes, kAhead = kAheadAlong<kCount, kStreamed>;
    extern __shared__ float sums[];
    const int group = blockIdx.x / blocks, n_begin = (blockIdx.x - group * blocks) * depth;
    const auto first_row = [&](int team) {
        const unsigned of_all = group * kTeams + team;
        return of_all / 4 * 4 * kRows + of_all % 4;
    };
    const int at = threadIdx.x % kLanes;
    const unsigned row = first_row(threadIdx.x / kLanes), rows = product.lines;
    const int n_count = row < rows ? min(depth, product.N - n_begin) : 0;
    const float* const begin = product.matrix + (row < rows ? row : 0) * product.ld + n_begin;
    const int head = min(-static_cast<int>(ladder::bits(begin) / sizeof(float)) & 3, n_count),
              groups = (n_count - head) / 4;
    int64_t below[kRows];  // a row that is not there is the first
    const float* from[kRows];
#pragma unroll
    for (int m = 0; m < kRows; ++m) {
        below[m] = row + 4 * m < rows ? 4 * m * product.ld : 0;
        from[m] = begin + below[m] + head + 4 * at;
    }
    const int64_t step_n = kBeside == Beside::kOfOne ? 1 : product.step_n;
    const float* const vectors = product.vectors + n_begin * step_n;
    const float* from_v = vectors + (head + 4 * at) * step_n;
    int left = groups - at;                                     // groups of 4 n
    const int edge = at < 4 ? at : head + 4 * groups + at - 4;  // this lane's word before the first or behind the last
    const bool has_edge = at < 4 ? at < head : at < 8 && edge < n_count;
    uint64_t computed = ladder::bits(from_v) | unsigned(left) | unsigned(edge);
#pragma unroll
    for (int m = 0; m < kRows; ++m) computed |= ladder::bits(from[m]);
    const ladder::L2Policy policy = wait_and_choose_policy<kStreamed>(computed, product);
    ladder::let_next_kernel_start();

    float a[kAhead][kRows][4], v[kAhead][4][kCount];
    const auto request = [&](int step, int place) {
        const bool inside = left > step * kLanes;
#pragma unroll
        for (int m = 0; m < kRows; ++m) policy.load4(a[place][m], from[m] + step * kStep, inside);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            load_numbers<kBeside>(v[place][i], from_v + (step * kStep + i) * step_n, product, inside);
        }
    };
#pragma unroll
    for (int step = 0; step < kAhead; ++step) request(step, step);
    float edge_a[kRows], edge_v[kCount], sum[kRows][kCount] = {};
#pragma unroll
    for (int m = 0; m < kRows; ++m) policy.load(&edge_a[m], begin + below[m] + edge, has_edge);
    load_numbers<kBeside>(edge_v, vectors + edge * step_n, product, has_edge);
    for (; left > 0; left -= kAhead * kLanes) {
#pragma unroll
        for (int step = 0; step < kAhead; ++step) {
#pragma unroll
            for (int i = 0; i < kRows * kCount * 4; ++i) {
                const int m = i / 4 / kCount, k = i / 4 % kCount;
                sum[m][k] += a[step][m][i % 4] * v[step][i % 4][k];
            }
            request(kAhead + step, step);
        }
#pragma unroll
        for (int m = 0; m < kRows; ++m) from[m] += kAhead * kStep;
        from_v += kAhead * kStep * step_n;
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kRows * kCount; ++i) sum[i / kCount][i % kCount] += edge_a[i / kCount] * edge_v[i % kCount];

    constexpr int kTogether = kLanes < 32 ? kLanes : 32,
                  kParts = kLanes / kTogether;  // lanes of a warp, warps of a team
    constexpr int kNumbers = kTeams * kRows * kCount;
    ladder::add_lanes(sum, 1, kTogether);
    if (threadIdx.x % kTogether == 0) {
        const int part = threadIdx.x / kTogether % kParts, team = threadIdx.x / kLanes;
#pragma unroll
        for (int i = 0; i < kRows * kCount; ++i) {
            sums[part * kNumbers + team * kRows * kCount + i] = sum[i / kCount][i % kCount];
        }
    }
    ladder::store_block_sums<kThreads>(sums, kNumbers, kParts, blocks, [&](int i, float total) {
        const unsigned row = first_row(i / (kRows * kCount)) + i / kCount % kRows * 4;
        if (row >= rows || i % kCount >= product.count) return;
        product.epilogue.store(&product.C[row * product.c_line + i % kCount * product.c_v], total);
    });
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const ladder::VectorPlan& plan, int floats, int resident,
            cudaStream_t stream, Arguments... arguments) {
    const int shared = ladder::shared_for_clusters(static_cast<int>(sizeof(float)) * floats, plan.groups, plan.blocks,
                                                   resident, ladder::current_device());
    ladder::allow_shared(kernel, shared);
    if (plan.blocks == 1) {
        ladder::launch_early(kernel, dim3(plan.groups), kThreads, shared, stream, arguments..., 1, plan.depth);
    } else {
        ladder::launch_clusters(kernel, plan.groups, plan.blocks, kThreads, shared, stream, arguments..., plan.blocks,
                                plan.depth);
    }
}

template <int kCount, Beside kBeside>
void launch_along(const ladder::VectorProduct& product, const ladder::VectorPlan& plan, cudaStream_t stream) {
    auto kernel = plan.lanes == 8    ? along_n<kCount, kBeside, 8>
                  : plan.lanes == 32 ? along_n<kCount, kBeside, 32>
                                     : along_n<kCount, kBeside, 128>;
    if (plan.streamed) {
        kernel = plan.lanes == 32 ? along_n<1, Beside::kOfOne, 32, true> : along_n<1, Beside::kOfOne, 128, true>;
    }
    launch(kernel, plan, plan.lines * kCount * (std::max(plan.lanes / 32, 1) + 1),
           resident_with(kCount, true, plan.streamed), stream, product);
}

template <int kCount>
void launch(const ladder::VectorProduct& product, const ladder::VectorPlan& plan, cudaStream_t stream) {
    if (!product.along) {
        const auto kernel = plan.streamed == 4   ? across_n<1, true, 4>
                            : plan.streamed == 2 ? across_n<1, true, 2>
                            : plan.streamed == 1 ? across_n<1, true>
                                                 : across_n<kCount>;
        return launch(kernel, plan, kCount * plan.lines * (kWarps + 1), resident_with(kCount, false, plan.streamed),
                      stream, product, plan.lanes, plan.lines);
    }
    if constexpr (kCount == 4) {
        if (product.four_beside()) return launch_along<4, Beside::kOfAll>(product, plan, stream);
    }
    const auto along = product.step_n == 1 ? launch_along<kCount, Beside::kOfOne> : launch_along<kCount, Beside::kNone>;
    along(product, plan, stream);
}

inline void launch(const ladder::VectorProduct& product, const ladder::VectorPlan& plan, cudaStream_t stream) {
    (product.count == 1 ? launch<1> : product.count == 2 ? launch<2> : launch<4>)(product, plan, stream);
}

inline void multiply_vectors(const solve_gemm_t& call, const ladder::DeviceFigures& device) {
    const Choice choice = choose(call, device);
    launch(choice.product, plan_to_launch(choice, device), static_cast<cudaStream_t>(call.stream));
}

// Four rows or columns of C at a time; more than 16 are 60's.
inline void multiply(const ladder::Gemm& gemm) {
    constexpr int kMost = 16;
    if (std::min(gemm.M, gemm.K) > kMost) return rung_60::multiply(gemm);
    const bool rows = gemm.M < gemm.K;
    const int all = rows ? gemm.M : gemm.K;
    for (int first = 0, count; first < all; first += count) {
        solve_gemm_t call = ladder::call_of(gemm);
        count = std::min(all - first, ladder::kMostVectors);
        if (rows) call.A += first * gemm.lda, call.C += first * gemm.ldc, call.M = count;
        if (!rows) call.B += first, call.C += first, call.K = count;
        multiply_vectors(call, ladder::current_device());
    }
}

}  // namespace rung_75

SOLVE_EXPORT_GEMM(rung_75::multiply,
                  .summary = "a matrix times one to four vectors: small blocks, 16 bytes however rows lie",
                  .source = "cuBLAS (gemv)", .minimum_compute_capability = 75)
