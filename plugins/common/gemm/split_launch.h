// The launches of a product whose operands are packed for the tensor cores.
#pragma once

#include "../export/allow_shared.h"
#include "../export/workspace.h"
#include "add_edges.h"
#include "cost_model.h"

namespace ladder {

// The tiles of C: 64 x 64, 64 x 128 or 128 x 128.
enum class SplitTile { small, medium, large };

// Which of them is expected to be the fastest, and its cycles at 1.755 GHz, with numbers that FP16 can hold: fitted to
// 700 products drawn from a seed, of sides of 32 to 6000, on an H100 (plugins/notes/83_split.md). `edges`: rows and
// columns of C that no tile has (edge_lines.h), where that makes a wave less.
struct SplitWay {
    SplitTile tile;
    int2 edges;
    double cycles = kNever;
};
inline SplitWay best_split_way(const solve_gemm_t& call, int sms = sm_count()) {
    constexpr double kOfEdges = 4000, kOfLine = 1500;  // what 2049 and 2052 take more
    SplitWay best{};
    const int steps = ceil_div(call.N, kPackedDepth);
    const auto consider = [&](SplitTile tile, int rows, int cols, int per_sm, double start, double step) {
        const auto with = [&](int2 edges) {
            const int64_t tiles = int64_t{ceil_div(call.M - edges.x, rows)} * ceil_div(call.K - edges.y, cols);
            const double cycles = waves_of(tiles, per_sm * sms) * (start + steps * step) +
                                  (edges.x + edges.y > 0 ? kOfEdges + kOfLine * std::max(edges.x, edges.y) : 0);
            if (cycles < best.cycles) best = {tile, edges, cycles};
        };
        const auto few = [](int count, int side) {
            return count > side && count % side <= kMostEdges ? count % side : 0;
        };
        const int2 edges = make_int2(few(call.M, rows), few(call.K, cols));
        with({0, 0}), with({edges.x, 0}), with({0, edges.y}), with(edges);
    };
    consider(SplitTile::large, 128, 128, 1, 8400, 1870);
    consider(SplitTile::medium, 64, 128, 1, 6100, 1200);
    consider(SplitTile::small, 64, 64, 2, 4400, 1750);
    return best;
}

// Bytes of the states and the edges' parts: in front of what is packed, so that that is aligned.
inline size_t head_of_split(const solve_gemm_t& call, int2 edges) {
    const size_t parts = parts_of_edges(edges, call.M - edges.x, call.K - edges.y, call.N) * sizeof(float);
    return sizeof(PackState) * kStates + (parts + 255) / 256 * 256;
}
static_assert(sizeof(PackState) * kStates % 256 == 0);

// Bytes that a call takes if its operands are packed in each of these formats, or in one of those that take less; 0
// where nothing is packed: a short sum is FP32's own. What splitting loses of a term, up to 3 u, shows where there are
// few; and packed, it would be mostly padding.
template <class... Formats>
size_t workspace_of_split(const solve_gemm_t& call, int2 edges = {}) {
    if (call.N < 32) return 0;
    const int rows = call.M - edges.x, cols = call.K - edges.y;
    return head_of_split(call, edges) +
           ((packed_size<Formats>(rows, Formats::kRows, call.N) + packed_size<Formats>(cols, Formats::kCols, call.N)) +
            ...);
}

// Whether a format's tiles have a kernel of their own for odd products, those with edges or where rows of C begin
// anywhere: large tiles. Of others a block has one tile, and shares an SM.
template <class Format>
constexpr bool kHasOddKernel = Format::kRows == 128 && Format::kCols == 128;

// The kernel for all tiles of C, of a format's size, or that for odd products; they need the format's shared memory, or
// more, and let the next one start when the packing has ended (add_edges.h).
template <class Format, class... More>
void launch_split(void (*even)(SplitJob, More...), void (*odd)(SplitJob, More...), const SplitJob& job,
                  size_t more_shared = 0, More... more) {
    using T = SplitTiles<Format>;
    const bool is_odd = kHasOddKernel<Format> && (job.edges.any() || !job.has_sectors);
    const auto kernel = is_odd ? odd : even;
    const size_t shared = std::max(sizeof(typename T::Shared), more_shared);
    allow_shared(kernel, static_cast<int>(shared));
    const int tiles = ceil_div(job.operands.a.count, Format::kRows) * ceil_div(job.operands.b.count, Format::kCols);
    const int blocks = T::kSlices > 1 ? tiles : std::min(tiles, T::kBlocks * sm_count());
    launch_early(kernel, dim3(blocks), T::kThreads, shared, job.operands.stream, job, more...);
    if (!is_odd) enqueue_add_edges(job);
}

// Each product of a call without a bias: enqueue(job) enqueues what packs its operands into the workspace, beginning
// with level 0, and what multiplies. `edges`: as of SplitWay. Without a workspace the job has no state, and nothing is
// packed. `before`: so many products have been enqueued just before with this workspace, and cleared the states.
template <class Enqueue>
void enqueue_split(const solve_gemm_t& call, int2 edges, const Workspace& workspace, Enqueue enqueue, int before = 0) {
    auto* const states = reinterpret_cast<PackState*>(workspace.data());
    if (!states) edges = {};
    auto* const parts = reinterpret_cast<float*>(states + kStates);
    char* const packed = reinterpret_cast<char*>(states) + head_of_split(call, edges);
    const auto stream = static_cast<cudaStream_t>(call.stream);
    // A pair of columns is stored at once, and none may be of the edges.
    const bool vector_c =
        vector_operand(call.C, call.C_array, call.ldc, call.stride_c, call.K) && (call.K - edges.y) % 2 == 0;
    const bool has_sectors =
        vector_c && reinterpret_cast<uintptr_t>(call.C) % 32 == 0 && call.ldc % 8 == 0 && call.stride_c % 8 == 0;
    for (int i = 0; i < call.batch; ++i) {
        PackState* const state = states ? states + (before + i) % kStates : nullptr;
        SplitOperands operands{lines_of_a(call, i), lines_of_b(call, i), call.N, packed, packed, state, stream};
        operands.a.count -= edges.x, operands.b.count -= edges.y;
        if (states && (before + i) % kStates == 0) {
            launch_early(clear_states, dim3(1), kClearingThreads, 0, stream, states);
        }
        enqueue(SplitJob{operands, call.C + i * call.stride_c, call.C_array ? call.C_array + i : nullptr, call.ldc,
                         Epilogue{call.alpha, call.beta}, vector_c, has_sectors, EdgeLines{edges, parts}});
    }
}

// The same for any call, in so much workspace; its code.
template <class Enqueue>
int enqueue_split(const solve_gemm_t& given, int2 edges, size_t bytes, Enqueue enqueue) {
    if (!supports_wgmma()) return SOLVE_UNSUPPORTED;
    const solve_gemm_t call = with_bias_added(given);
    const Workspace workspace(bytes, static_cast<cudaStream_t>(call.stream), {call.workspace, call.workspace_bytes});
    enqueue_split(call, edges, workspace, enqueue);
    return SOLVE_OK;
}

}  // namespace ladder
