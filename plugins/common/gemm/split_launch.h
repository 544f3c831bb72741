// The launches of a product whose operands are packed for the tensor cores.
#pragma once

#include "../export/workspace.h"
#include "split_job.h"

namespace ladder {

// Small tiles while the large ones are too few for the SMs.
inline bool is_small_split(const solve_gemm_t& call) {
    return ceil_div(call.M, 128) * ceil_div(call.K, 128) <= sm_count() / 4;
}

// Each product of a call: enqueue_packs(operands) and then the kernel. Widest is the format whose packed operands take
// most room, and has the kernel's tiles; the kernel needs its shared memory, or more. Without memory for the packed
// operands nothing is packed, and the kernel is told so.
template <class Widest, class EnqueuePacks>
int enqueue_split(const solve_gemm_t& given, void (*kernel)(SplitJob), size_t more_shared, EnqueuePacks enqueue_packs) {
    using T = SplitTiles<Widest>;
    if (!supports_wgmma()) return SOLVE_UNSUPPORTED;
    const solve_gemm_t call = with_bias_added(given);
    const auto stream = static_cast<cudaStream_t>(call.stream);
    constexpr size_t kLevelBytes = 256;
    const size_t of_a = packed_size<Widest>(call.M, Widest::kRows, call.N);
    const size_t of_b = packed_size<Widest>(call.K, Widest::kCols, call.N);
    // A short sum is FP32's own. What splitting loses of a term, up to 3 u, shows where there are few; and packed, it
    // would be mostly padding.
    const bool is_short = call.N < 32;
    const Workspace workspace(is_short ? 0 : kLevelBytes + of_a + of_b, stream, {call.workspace, call.workspace_bytes});
    auto* const level = reinterpret_cast<unsigned*>(workspace.data());
    char* const packed_a = reinterpret_cast<char*>(level) + kLevelBytes;
    const int tiles = ceil_div(call.M, Widest::kRows) * ceil_div(call.K, Widest::kCols);
    const bool vector_c = vector_operand(call.C, call.C_array, call.ldc, call.stride_c, call.K);
    const size_t shared = std::max(sizeof(typename T::Shared), more_shared);
    allow_shared(kernel, static_cast<int>(shared));
    for (int i = 0; i < call.batch; ++i) {
        const SplitOperands operands{
            lines_of_a(call, i), lines_of_b(call, i), call.N, packed_a, packed_a + of_a, level, stream};
        if (level) {
            cudaMemsetAsync(level, 0, sizeof(*level), stream);
            enqueue_packs(operands);
        }
        launch_early(kernel, dim3(std::min(tiles, T::kBlocks * sm_count())), T::kThreads, shared, stream,
                     SplitJob{operands, call.C + i * call.stride_c, call.C_array ? call.C_array + i : nullptr, call.ldc,
                              Epilogue{call.alpha, call.beta}, vector_c});
    }
    return SOLVE_OK;
}

}  // namespace ladder
