// The one to take: for every shape, alignment and GPU from Turing on, the rung that is expected to be the fastest.
//
// Against all others: no kernel of its own. What a call asks of each kernel is counted: waves of blocks, steps of the
// loop, bytes. What one of each costs is measured. The sum of counts times costs, corrected by gradient-boosted
// regression trees where it is off, is the time that the kernel is expected to take (work.h, cost_trees.h). `make tune`
// measures the costs (autotuning) on the GPU at hand, at random shapes (way_costs.h). `make ways` says how often the
// fastest kernel is taken.
//
// A remainder of a few rows or columns can be a product of its own: of 4096 x 4097, with tiles of 128 x 256, a 17th
// column of tiles would be 32 tiles for one column.
//
// Strict FP32, unless the call's accuracy or, if it names none, SGEMM_LADDER_ACCURACY=fp32-accurate in the environment
// allows any arithmetic that is as accurate: then 85 is one of the choices, on sm_90 (90_accuracy.h).
//
// Limit: that of the rung chosen. To choose for a new shape takes a core of an AMD EPYC 20 to 35 us in the median of
// random ones, 25 to 95 if operands are transposed, and 50 to 170 if the trees are not in its caches
// (notes/90_dispatch.md); 0.05 us where the same was asked before (plan_cache.h).
// solve_gemm: transposed operands and batches by 56, 67, 71, 72, 75, 77, 79, 87, 88 and 89, chosen alike. A bias of the
// columns is added by 86 as it stores C; any other goes into C before.
//
// Source: cuBLAS, whose heuristics choose among some hundred kernels; here are a dozen, with some thirty tiles.
// build: least=75 as=90a
#include "../common/export/gemm.h"
#include "90_accuracy.h"
#include "90_parts.h"

namespace rung_90 {

// The cycles that a call is expected to take if operands are copied first; kNever if that is no less than `most`, as
// far as can be told without the product's own choice. The product's blocks begin later behind the copying than behind
// another call of their own: 1.7 us in the median of 850 calls of 8 us and more, 0.1 below. Since 86 may begin early it
// is some 0.8, but with less than 1.7 allowed for the choice at 318 calls was no better.
inline double cycles_if_copied(const solve_gemm_t& call, rung_89::Copies copies, const CostsOfGpu& costs,
                               const DeviceFigures& device, double most = ladder::kNever) {
    const double copying = costs.cycles(WayId::copied, copying_work(call, copies, device), call, device);
    const auto with = [&](double product) { return copying + product + std::min(product / 6, 3000.0); };
    if (with(ladder::least_cycles(call, device)) >= most) return ladder::kNever;
    double product = 0;
    for (const auto& part : parts_of_call(rung_89::with_copies(call, copies), device, false))
        product += part.way.cycles;
    return with(product);
}

// What is enqueued for each of many products costs the GPU no less than kLeastOfLaunch.
inline Way choose(const solve_gemm_t& call, const CostsOfGpu& costs, const DeviceFigures& device, bool copies) {
    constexpr double kLeastOfLaunch = 4000;
    if (rung_72::is_for(call)) return {WayId::narrow, 1, rung_72::cycles_of(call)};
    Way best;
    const bool walk = rung_71::is_for(call, device);
    const ladder::Vectors vectors(call);
    const auto consider = [&](const Way& way) {
        if (way.cycles < best.cycles) best = way;
        const double by_71 = (vectors.c ? 0.92 : 0.97) * way.cycles;  // 71_small_walk.md
        if (walk && way.id == WayId::small_64x64 && by_71 < best.cycles) best = {WayId::small_walk, 1, by_71};
    };
    ladder::for_each_good_way(
        costs, call, device, [&](auto add) { for_each_way(call, device, add); },
        [&](const ladder::WayOfCall& way) {
            consider({way.id, way.blocks, way.cycles});
        });
    if (copies && may_copy(call, device)) {
        for_each_copies(call, [&](rung_89::Copies each) {
            consider({WayId::copied, number_of(each), cycles_if_copied(call, each, costs, device, best.cycles)});
        });
    }
    if (call.batch > 1 && call.batch * kLeastOfLaunch < best.cycles && !is_transposed(call) && !has_arrays(call)) {
        solve_gemm_t one = call;
        one.batch = 1;
        const double cycles = call.batch * std::max(choose(one, costs, device).cycles, kLeastOfLaunch);
        if (cycles < best.cycles) best = {WayId::one_by_one, 1, cycles};
    }
    return best;
}

inline void multiply_all(const solve_gemm_t& given, bool copies = true);
// The same of a product whose operands are not to be copied, again or at all.
inline void multiply_copied(const solve_gemm_t& call) {
    multiply_all(call, false);
}

inline void multiply(const ladder::Gemm& gemm) {
    const DeviceFigures device = ladder::current_device();
    for (const Part& part : parts_of(gemm, ladder::costs_for(device.capability), device))
        launch_one(part.way, part.gemm, device, multiply_copied);
}

// The cycles that multiply() is expected to take.
inline double cycles_of(const ladder::Gemm& gemm, const DeviceFigures& device) {
    double cycles = 0;
    for (const Part& part : parts_of(gemm, ladder::costs_for(device.capability), device)) cycles += part.way.cycles;
    return cycles;
}

// The same as multiply() for any call of solve_gemm, in strict FP32.
inline void multiply_all(const solve_gemm_t& given, bool copies) {
    const DeviceFigures device = ladder::current_device();
    const bool of_columns = given.bias_kind == SOLVE_BIAS_OF_COLUMNS && given.beta == 0.0f;
    if (of_columns && given.batch == 1 && !has_arrays(given)) {
        if (!is_transposed(given)) return multiply(ladder::plain_gemm(given));
        const Way way = plan_of(given, ladder::costs_for(device.capability), device).whole;
        const bool is_plain = way.id == WayId::copied && !is_transposed(rung_89::with_copies(given, copies_of(way)));
        if (is_plain && copy_and_multiply(way, given, device, multiply_copied)) return;
    }
    const solve_gemm_t call = ladder::with_bias_added(given);
    if (const auto plain = as_plain(call)) return multiply(*plain);
    for (const auto& part : parts_of_call(call, device, copies))
        launch_way(part.way, part.gemm, device, multiply_copied);
}
inline double cycles_of_all(const solve_gemm_t& call, const DeviceFigures& device) {
    if (const auto plain = as_plain(call)) return cycles_of(*plain, device);
    double cycles = 0;
    for (const auto& part : parts_of_call(call, device)) cycles += part.way.cycles;
    return cycles;
}

// Whether 85 has done a call without a bias.
inline bool split(const solve_gemm_t& call) {
    const DeviceFigures device = ladder::current_device();
    return pays_to_split(call, device, cycles_of_all(call, device)) && multiply_by_split(call);
}

// The entries: as accurate as is asked for.
inline int solve_all(const solve_gemm_t& given) {
    const uint32_t accuracy = accuracy_of(given.accuracy);
    if (!accuracy) return SOLVE_INVALID_ARGUMENT;
    if (accuracy == SOLVE_ARITHMETIC_FP32) return multiply_all(given), SOLVE_OK;
    const solve_gemm_t call = ladder::with_bias_added(given);
    if (!split(call)) multiply_all(call);
    return SOLVE_OK;
}
inline int solve_one(const ladder::Gemm& gemm) {
    const uint32_t accuracy = accuracy_of(0);
    if (!accuracy) return SOLVE_INVALID_ARGUMENT;
    if (accuracy == SOLVE_ARITHMETIC_FP32 || !split(ladder::call_of(gemm))) multiply(gemm);
    return SOLVE_OK;
}

}  // namespace rung_90

SOLVE_EXPORT_GEMM_AND_ALL(rung_90::solve_one, rung_90::solve_all,
                          .summary = "the rung that is expected to be the fastest for the shape and the GPU",
                          .source = "56, 60, 64, 67, 69, 71, 72, 73, 75 to 79, 85 to 89",
                          .minimum_compute_capability = 75, .arithmetic_of_process = rung_90::arithmetic_of_process)
