// The launches of a product whose operands are packed for the tensor cores.
#pragma once

#include "../export/workspace.h"
#include "split_job.h"

namespace ladder {

// Small tiles while the large ones are too few for the SMs.
inline bool is_small_split(const solve_gemm_t& call) {
    return ceil_div(call.M, 128) * ceil_div(call.K, 128) <= sm_count() / 4;
}

constexpr int kBytesOfLevel = 256;  // so that what is packed is aligned

// Bytes that a call's packed operands take, and their level, in the format that takes most; 0 where nothing is packed:
// a short sum is FP32's own. What splitting loses of a term, up to 3 u, shows where there are few; and packed, it would
// be mostly padding.
template <class Widest>
size_t workspace_of_split(const solve_gemm_t& call) {
    if (call.N < 32) return 0;
    return kBytesOfLevel + packed_size<Widest>(call.M, Widest::kRows, call.N) +
           packed_size<Widest>(call.K, Widest::kCols, call.N);
}

// The kernel for all tiles of C, of a format's size; it needs the format's shared memory, or more.
template <class Format>
void launch_split(void (*kernel)(SplitJob), const SplitJob& job, size_t more_shared = 0) {
    using T = SplitTiles<Format>;
    const size_t shared = std::max(sizeof(typename T::Shared), more_shared);
    allow_shared(kernel, static_cast<int>(shared));
    const int tiles = ceil_div(job.operands.a.count, Format::kRows) * ceil_div(job.operands.b.count, Format::kCols);
    launch_early(kernel, dim3(std::min(tiles, T::kBlocks * sm_count())), T::kThreads, shared, job.operands.stream, job);
}

// Each product of a call without a bias: enqueue(job) enqueues what packs its operands into the workspace, beginning
// with level 0, and what multiplies. Without a workspace the job has no level, and nothing is packed.
template <class Enqueue>
void enqueue_split(const solve_gemm_t& call, const Workspace& workspace, Enqueue enqueue) {
    auto* const level = reinterpret_cast<unsigned*>(workspace.data());
    char* const packed = reinterpret_cast<char*>(level) + kBytesOfLevel;
    const bool vector_c = vector_operand(call.C, call.C_array, call.ldc, call.stride_c, call.K);
    for (int i = 0; i < call.batch; ++i) {
        const SplitOperands operands{lines_of_a(call, i),
                                     lines_of_b(call, i),
                                     call.N,
                                     packed,
                                     packed,
                                     level,
                                     static_cast<cudaStream_t>(call.stream)};
        enqueue_clear(operands);
        enqueue(SplitJob{operands, call.C + i * call.stride_c, call.C_array ? call.C_array + i : nullptr, call.ldc,
                         Epilogue{call.alpha, call.beta}, vector_c});
    }
}

// The same for any call; its code.
template <class Widest, class Enqueue>
int enqueue_split(const solve_gemm_t& given, Enqueue enqueue) {
    if (!supports_wgmma()) return SOLVE_UNSUPPORTED;
    const solve_gemm_t call = with_bias_added(given);
    const Workspace workspace(workspace_of_split<Widest>(call), static_cast<cudaStream_t>(call.stream),
                              {call.workspace, call.workspace_bytes});
    enqueue_split(call, workspace, enqueue);
    return SOLVE_OK;
}

}  // namespace ladder
