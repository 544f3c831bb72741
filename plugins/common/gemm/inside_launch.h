// The launch of a product whose operands are split by the kernel that multiplies, each tile cut among the blocks of a
// cluster.
#pragma once

#include "../ptx/cluster.h"
#include "cost_model.h"
#include "split_boxes.h"
#include "split_launch.h"

namespace ladder {

// The kernel with a tile, and among how many blocks each is cut, up to `most`; the cycles that this is expected to
// take. And the kernel for operands that can be copied as boxes.
struct InsideWay {
    double cycles;
    void (*kernel)(SplitJob, int size);
    int tiles, size, threads, shared;
    void (*of_boxes)(BoxSource a, BoxSource b, SplitJob, int size) = nullptr;
    int box_threads = 0, box_shared = 0;
};

template <class T>
InsideWay way_inside(const solve_gemm_t& call, void (*kernel)(SplitJob, int), double step_cycles, int most, int sms) {
    constexpr double kStart = 7000, kMeet = 1000;
    const int64_t tiles = int64_t{ceil_div(call.M, T::kRows)} * ceil_div(call.K, T::kCols);
    const int steps = ceil_div(call.N, kPackedDepth);
    InsideWay best{kNever, kernel, static_cast<int>(tiles), 1, T::kThreads, sizeof(typename T::Shared)};
    for (int size = 1; size <= std::min(steps, most); size *= 2) {
        if (size > 1 && tiles * size > sms) break;
        const double cycles =
            kStart + (size > 1 ? kMeet : 0) + waves_of(tiles * size, sms) * ceil_div(steps, size) * step_cycles;
        if (cycles < best.cycles) best.cycles = cycles, best.size = size;
    }
    return best;
}

// All products of a call, by one of these ways; its code.
inline int enqueue_inside(const solve_gemm_t& given, const InsideWay& way) {
    if (!supports_wgmma()) return SOLVE_UNSUPPORTED;
    const solve_gemm_t call = with_bias_added(given);
    const Workspace none(0, nullptr);
    enqueue_split(call, {}, none, [&](const SplitJob& job) {
        const auto launch = [&](auto kernel, int threads, int shared, const auto&... arguments) {
            const auto stream = job.operands.stream;
            allow_shared(kernel, shared);
            if (way.size > 1) {
                launch_clusters(kernel, way.tiles, way.size, threads, shared, stream, arguments..., way.size);
            } else {
                launch_early(kernel, dim3(way.tiles), threads, shared, stream, arguments..., 1);
            }
        };
        BoxSource a, b;
        if (way.of_boxes && describe_boxes(a, job.operands.a, call.N) && describe_boxes(b, job.operands.b, call.N)) {
            launch(way.of_boxes, way.box_threads, way.box_shared, a, b, job);
        } else {
            launch(way.kernel, way.threads, way.shared, job);
        }
    });
    return SOLVE_OK;
}

}  // namespace ladder
