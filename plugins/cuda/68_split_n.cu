// Where C has too few tiles to occupy the GPU, several blocks share one tile: each sums a part of N (split-K).
//
// Against 64: a third dimension of the grid. A product of 128 x 8192 x 128 is one tile, so that in 64 one SM of an
// H100 works and 131 wait; here 128 blocks take 64 of N each. Every block leaves its sums in a slice of workspace of
// the size of C, and a second kernel adds the slices. Adding straight to C with atomics would need no workspace, but
// the order of the additions, and with it the last bits of C, would differ from run to run; here it is the order of
// n.
//
// The number of parts is a trade-off: more parts keep more SMs busy, but are more to write and read back, 8 bytes for
// each element and part. splits_for() weighs both; for large products it returns 1, and 64's kernel does the product.
//
// Limit: for small products the two launches and the first copies' latency; else as for 64.
// Source: split-K in cuBLAS and CUTLASS. (Their K is our N.)
// build: least=80
#include <algorithm>

#include "../common/export/workspace.h"
#include "64_cp_async.cu"

namespace rung_68 {

using rung_64::kTileK, rung_64::kTileM, rung_64::kTileN, rung_64::kThreads;

constexpr int64_t kWorkspace = 64 << 20;  // bytes at most
constexpr int kMinDepth = 64;             // of N for a part, so that the four stages are filled twice

// The part blockIdx.z of N, `depth` long but for the last one, of each tile; `slices` are M x K each and dense.
template <bool kVectorB>
__global__ void __launch_bounds__(kThreads, 2)
    split_n(const float* A, int64_t lda, const float* B, int64_t ldb, float* slices, int64_t slice, int M, int N, int K,
            int depth, bool vector_c) {
    if (!ladder::kHasCpAsync) return;
    __shared__ rung_64::Stage stages[rung_64::kStages];
    const int n_begin = blockIdx.z * depth, n_count = min(depth, N - n_begin);
    rung_64::multiply_tile<kVectorB>(stages, A, lda, B, ldb, slices + blockIdx.z * slice, K, M, n_begin, n_count, K,
                                     ladder::Epilogue{}, vector_c);
}

// Adds the slices in order. Neighbouring threads take neighbouring elements.
__global__ void __launch_bounds__(kThreads)
    add_slices(const float* slices, int slice, int splits, float* C, int64_t ldc, int K, ladder::Epilogue epilogue) {
    const int at = blockIdx.x * kThreads + threadIdx.x;
    if (at >= slice) return;
    float sum = 0.0f;
    for (int i = 0; i < splits; ++i) sum += slices[int64_t{i} * slice + at];
    epilogue.store(&C[at / K * ldc + at % K], sum);
}

// The n of a part if N is cut into about that many: whole tiles, so that aligned rows stay aligned.
inline int depth_for(int N, int splits) {
    return static_cast<int>(
        std::min<int64_t>(N, int64_t{ladder::ceil_div(ladder::ceil_div(N, splits), kTileN)} * kTileN));
}

// The number of parts with the least estimated time, in cycles. At 128 FFMA per SM and cycle one n of a tile takes
// 128 cycles. The second launch takes some 2 us, and memory, mostly L2, moves some 2000 bytes a cycle.
inline int splits_for(int M, int N, int K, int multiprocessors) {
    const int64_t tiles = int64_t{ladder::ceil_div(M, kTileM)} * ladder::ceil_div(K, kTileK);
    const int64_t slice = int64_t{M} * K;
    const int64_t most = std::min<int64_t>({N / kMinDepth, 2 * multiprocessors, kWorkspace / 4 / slice});
    int best = 1;
    double best_time = 1e300;
    for (int splits = 1; splits <= std::max<int64_t>(most, 1); ++splits) {
        const int64_t waves = (tiles * splits + multiprocessors - 1) / multiprocessors;
        const double adding = splits > 1 ? 4000 + 8.0 * slice * splits / 2000 : 0;
        const double time = 128.0 * waves * depth_for(N, splits) + adding;
        if (time < best_time) best = splits, best_time = time;
    }
    return best;
}

inline void multiply(const ladder::Gemm& gemm) {
    const int64_t slice = int64_t{gemm.M} * gemm.K;
    const int depth = depth_for(gemm.N, splits_for(gemm.M, gemm.N, gemm.K, ladder::sm_count()));
    const int splits = ladder::ceil_div(gemm.N, depth);  // after rounding the depth up, no part is empty
    const ladder::Workspace workspace(splits > 1 ? sizeof(float) * slice * splits : 0, gemm.stream, gemm.workspace);
    if (!workspace.data()) return rung_64::multiply(gemm);  // not needed, or not to be had

    const auto kernel = gemm.vector_b() ? split_n<true> : split_n<false>;
    const bool vector_c = gemm.K % 4 == 0 && ladder::aligned16(workspace.data(), gemm.K);
    ladder::for_each_slab(gemm.M, kTileM, [&](int64_t row, int rows) {
        const dim3 grid(ladder::ceil_div(gemm.K, kTileK), ladder::ceil_div(rows, kTileM), splits);
        kernel<<<grid, kThreads, 0, gemm.stream>>>(gemm.A + row * gemm.lda, gemm.lda, gemm.B, gemm.ldb,
                                                   workspace.data() + row * gemm.K, slice, rows, gemm.N, gemm.K, depth,
                                                   vector_c);
    });
    const int blocks = static_cast<int>((slice + kThreads - 1) / kThreads);
    add_slices<<<blocks, kThreads, 0, gemm.stream>>>(workspace.data(), static_cast<int>(slice), splits, gemm.C,
                                                     gemm.ldc, gemm.K, ladder::Epilogue{gemm.alpha, gemm.beta});
}

}  // namespace rung_68

SOLVE_EXPORT_GEMM(rung_68::multiply, .summary = "64 with N split among blocks and a second kernel that adds the parts",
                  .source = "CUTLASS and cuBLAS (split-K)", .minimum_compute_capability = 80)
