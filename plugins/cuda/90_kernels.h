// The kernels that 90 chooses among for one product of operands that are not transposed, each with its model.
#pragma once

#include <algorithm>

#include "60_warp_tile.cu"
#include "64_cp_async.cu"
#include "76_few_rows.cu"
#include "78_few_columns.cu"
#include "90_gemm.h"
#include "90_table.h"

namespace rung_90 {

// A product's size, whether the matrices can be read and written 16 bytes at a time, C's leading dimension, and the SMs
// that there are.
struct Size {
    int M, N, K;
    bool vector_a, vector_b, vector_c;
    int64_t ldc;
    int processors;
};

inline Size size_of(const ladder::Gemm& gemm, int processors) {
    return {gemm.M, gemm.N, gemm.K, gemm.vector_a(), gemm.vector_b(), gemm.vector_c(), gemm.ldc, processors};
}

// A way to multiply: the least compute capability times 10, the cycles that it is expected to take if its loop reaches
// that rate, and the call.
struct Kernel {
    KernelId id;
    int capability;
    bool copies_a;  // 16 bytes at a time, if that is legal; B all do
    double (*cycles)(const Speed&, const Size&);
    void (*run)(const Speed&, const ladder::Gemm&, int processors);
};

// Storing C is all that a short contraction takes. A thread's columns are four neighbours: if they are not written 16
// bytes at a time, a warp's words are 16 bytes apart. H100, 223 x 4 x 6825 to 3817 x 2 x 4361: 350 bytes a cycle.
inline double with_stores(const Speed& speed, const Size& size, double cycles) {
    return std::max(cycles, speed.start + sizeof(float) * double(size.M) * size.K / (size.vector_c ? 1400 : 350));
}

template <int kTileM, int kTileK>
double of_tiles(const Speed& speed, const Size& size) {
    return with_stores(speed, size,
                       ladder::tiles_cycles<kTileM, kTileK>(speed, size.M, size.N, size.K, size.processors));
}

template <class T>
double of_slices(const Speed& speed, const Size& size) {
    return with_stores(speed, size, ladder::tile_plan<T>(speed, size.M, size.N, size.K, size.processors).cycles);
}

template <class T>
void run_slices(const Speed& speed, const ladder::Gemm& gemm, int processors) {
    const auto plan = ladder::tile_plan<T>(speed, gemm.M, gemm.N, gemm.K, processors);
    rung_69::launch<T>(gemm, plan.pieces);
}

// Thin products: few columns, unless there are few rows too.
inline bool few_columns(int M, int K) {
    return K <= ladder::kThin && M > ladder::kThin;
}

// The model knows nothing of products that are not thin.
inline double of_thin(const Speed& speed, const Size& size) {
    if (std::min(size.M, size.K) > 2 * ladder::kThin) return ladder::kNever;
    const auto plan_for = few_columns(size.M, size.K) ? rung_78::plan_for : rung_76::plan_for;
    return speed.start + plan_for(size.M, size.N, size.K, size.processors).cycles / speed.rate;
}

inline void multiply_thin(const ladder::Gemm& gemm) {
    few_columns(gemm.M, gemm.K) ? rung_78::multiply(gemm) : rung_76::multiply(gemm);
}

template <class T>
double of_stream_k(const Speed& speed, const Size& size) {
    return rung_86::plan_for<T>(speed, size.M, size.N, size.K, size.processors).cycles;
}

template <class T>
void run_stream_k(const Speed& speed, const ladder::Gemm& gemm, int processors) {
    const auto plan = rung_86::plan_for<T>(speed, gemm.M, gemm.N, gemm.K, processors);
    rung_86::launch<T>(gemm, plan.partition, processors);
}

inline rung_79::Plan plan_of_79(const Speed& speed, int M, int N, int K, int processors) {
    return rung_79::plan_for(speed, M, N, K, 1, {processors, true});
}

inline double of_cluster_slices(const Speed& speed, const Size& size) {
    return plan_of_79(speed, size.M, size.N, size.K, size.processors).cycles;
}

inline void run_cluster_slices(const Speed& speed, const ladder::Gemm& gemm, int processors) {
    const auto plan = plan_of_79(speed, gemm.M, gemm.N, gemm.K, processors);
    plan.launch(ladder::call_of(gemm), plan.blocks);
}

inline double of_short_sums(const Speed& speed, const Size& size) {
    solve_gemm_t call = solve_gemm_one();
    call.M = size.M, call.N = size.N, call.K = size.K, call.ldc = size.ldc;
    return speed.start + rung_77::cycles_of(call, size.processors) / speed.rate;
}

inline void run_short_sums(const Speed&, const ladder::Gemm& gemm, int processors) {
    ladder::launch_short(rung_77::kConfigs, ladder::call_of(gemm), processors);
}

template <void (*kMultiply)(const ladder::Gemm&)>
void run(const Speed&, const ladder::Gemm& gemm, int) {
    kMultiply(gemm);
}

constexpr Kernel kKernels[] = {
    {KernelId::warp_tile, 75, true, of_tiles<rung_60::kTileM, rung_60::kTileK>, run<rung_60::multiply>},
    {KernelId::cp_async, 80, false, of_tiles<rung_64::kTileM, rung_64::kTileK>, run<rung_64::multiply>},
    {KernelId::slices_64x128, 80, false, of_slices<rung_69::Large>, run_slices<rung_69::Large>},
    {KernelId::slices_64x64, 80, false, of_slices<rung_69::Medium>, run_slices<rung_69::Medium>},
    {KernelId::slices_64x32, 80, true, of_slices<rung_69::Small>, run_slices<rung_69::Small>},
    {KernelId::thin, 75, true, of_thin, run<multiply_thin>},
    {KernelId::stream_k_128x256, 90, false, of_stream_k<rung_86::Large>, run_stream_k<rung_86::Large>},
    {KernelId::stream_k_64x128, 90, false, of_stream_k<rung_86::Small>, run_stream_k<rung_86::Small>},
    {KernelId::cluster_slices, 90, true, of_cluster_slices, run_cluster_slices},
    {KernelId::short_sums, 90, true, of_short_sums, run_short_sums},
};

// What a product is done with.
struct Choice {
    const Kernel* kernel = nullptr;
    Speed speed{};
    double cycles = ladder::kNever;
};

}  // namespace rung_90
