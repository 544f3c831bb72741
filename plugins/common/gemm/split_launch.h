// The launches of a product whose operands are packed for the tensor cores.
#pragma once

#include "../export/allow_shared.h"
#include "../export/workspace.h"
#include "cost_model.h"
#include "split_job.h"

namespace ladder {

// The tiles of C: 64 x 64, 64 x 128 or 128 x 128.
enum class SplitTile { small, medium, large };

// Which of them is expected to be the fastest, and in how many waves. Of medium ones there is one per SM at a time, of
// small ones two, unless there are too few; of a medium one 64 n take an SM 0.55 times as long as of a large one. An
// H100 took 24.4, 27.6 and 27.5 us by medium, small and large ones at 1024, and 20.1 and 21.0 by medium and small ones
// at 768.
struct SplitWay {
    SplitTile tile;
    int64_t waves;
};
inline SplitWay best_split_way(const solve_gemm_t& call, int sms = sm_count()) {
    const auto tiles = [&](int rows, int cols) { return int64_t{ceil_div(call.M, rows)} * ceil_div(call.K, cols); };
    SplitWay best{};
    double least = kNever;
    const auto consider = [&](SplitTile tile, int64_t waves, double cost) {
        if (cost * waves < least) least = cost * waves, best = {tile, waves};
    };
    consider(SplitTile::large, waves_of(tiles(128, 128), sms), 1);
    consider(SplitTile::medium, waves_of(tiles(64, 128), sms), 0.55);
    const int64_t small = tiles(64, 64);
    small <= sms ? consider(SplitTile::small, 1, 0.35) : consider(SplitTile::small, waves_of(small, 2 * sms), 0.6);
    return best;
}

constexpr int kBytesOfStates = sizeof(PackState) * kStates;  // so that what is packed is aligned
static_assert(kBytesOfStates % 256 == 0);

// Bytes that a call's packed operands take, and the states, in the format that takes most; 0 where nothing is packed:
// a short sum is FP32's own. What splitting loses of a term, up to 3 u, shows where there are few; and packed, it would
// be mostly padding.
template <class Widest>
size_t workspace_of_split(const solve_gemm_t& call) {
    if (call.N < 32) return 0;
    return kBytesOfStates + packed_size<Widest>(call.M, Widest::kRows, call.N) +
           packed_size<Widest>(call.K, Widest::kCols, call.N);
}

// The kernel for all tiles of C, of a format's size; it needs the format's shared memory, or more.
template <class Format, class... More>
void launch_split(void (*kernel)(SplitJob, More...), const SplitJob& job, size_t more_shared = 0, More... more) {
    using T = SplitTiles<Format>;
    const size_t shared = std::max(sizeof(typename T::Shared), more_shared);
    allow_shared(kernel, static_cast<int>(shared));
    const int tiles = ceil_div(job.operands.a.count, Format::kRows) * ceil_div(job.operands.b.count, Format::kCols);
    const int blocks = T::kSlices > 1 ? tiles : std::min(tiles, T::kBlocks * sm_count());
    launch_early(kernel, dim3(blocks), T::kThreads, shared, job.operands.stream, job, more...);
}

// Each product of a call without a bias: enqueue(job) enqueues what packs its operands into the workspace, beginning
// with level 0, and what multiplies. Without a workspace the job has no state, and nothing is packed. `before`: so many
// products have been enqueued just before with this workspace, and cleared the states.
template <class Enqueue>
void enqueue_split(const solve_gemm_t& call, const Workspace& workspace, Enqueue enqueue, int before = 0) {
    auto* const states = reinterpret_cast<PackState*>(workspace.data());
    char* const packed = reinterpret_cast<char*>(states) + kBytesOfStates;
    const auto stream = static_cast<cudaStream_t>(call.stream);
    const bool vector_c = vector_operand(call.C, call.C_array, call.ldc, call.stride_c, call.K);
    for (int i = 0; i < call.batch; ++i) {
        const SplitOperands operands{lines_of_a(call, i),
                                     lines_of_b(call, i),
                                     call.N,
                                     packed,
                                     packed,
                                     states ? states + (before + i) % kStates : nullptr,
                                     stream};
        if (states && (before + i) % kStates == 0) {
            launch_early(clear_states, dim3(1), kClearingThreads, 0, stream, states);
        }
        enqueue(SplitJob{operands, call.C + i * call.stride_c, call.C_array ? call.C_array + i : nullptr, call.ldc,
                         Epilogue{call.alpha, call.beta}, vector_c});
    }
}

// The same for any call, in so much workspace; its code.
template <class Enqueue>
int enqueue_split(const solve_gemm_t& given, size_t bytes, Enqueue enqueue) {
    if (!supports_wgmma()) return SOLVE_UNSUPPORTED;
    const solve_gemm_t call = with_bias_added(given);
    const Workspace workspace(bytes, static_cast<cudaStream_t>(call.stream), {call.workspace, call.workspace_bytes});
    enqueue_split(call, workspace, enqueue);
    return SOLVE_OK;
}

}  // namespace ladder
