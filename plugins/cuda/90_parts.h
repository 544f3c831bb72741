// How 90 cuts a product in two, where whole tiles leave a remainder of a few rows or columns.
#pragma once

#include <utility>
#include <vector>

#include "../common/gemm/plan_cache.h"
#include "90_ways.h"

namespace rung_90 {

// How many of `count` rows or columns to leave for a product of their own: those behind the last whole 64, if few.
inline int remainder_of(int count) {
    const int rest = count % 64;
    return count > 64 && rest <= ladder::kThin ? rest : 0;
}

// The cycles that a second product is taken to cost besides its own, and the part of one product's time that two must
// be expected to stay below. Two kernels by turns can take longer than each repeated alone, for a reason that was not
// measured: 3178 x 2487 x 65 took 95 us as two that take 37 and 8. On an H100 4097 x 4095 x 4093 takes 2.47 ms as one
// and 2.46 to 2.50 as two; 8193 x 8191 x 8189 as two is 2.3 to 3.4 % behind 8192 in six sessions, and as one 3.8 % in
// the one where it was measured. Two promise 1.0 % less there.
constexpr double kSecond = 100000;
constexpr double kGain = 0.993;

// The same product without its first rows or columns.
inline ladder::Gemm behind(ladder::Gemm gemm, int rows, int cols) {
    gemm.M -= rows, gemm.A += rows * gemm.lda, gemm.C += rows * gemm.ldc;
    gemm.K -= cols, gemm.B += cols, gemm.C += cols;
    if (gemm.bias) gemm.bias += cols;
    return gemm;
}
inline solve_gemm_t behind(solve_gemm_t call, int rows, int cols) {
    call.M -= rows, call.A += rows * (call.transpose_a == SOLVE_T ? 1 : call.lda), call.C += rows * call.ldc;
    call.K -= cols, call.B += cols * (call.transpose_b == SOLVE_T ? call.ldb : 1), call.C += cols;
    return call;
}

// A call (without a bias) as a whole, or cut in two at its remainder of rows or of columns, if that is expected to take
// 0.7 % less. What cannot become so is not asked any further.
inline Plan make_plan(const solve_gemm_t& call, const CostsOfGpu& costs, const DeviceFigures& device, bool copies) {
    Plan plan{.whole = choose(call, costs, device, copies)};
    if (call.batch > 1 || has_arrays(call)) return plan;
    double cycles = kGain * plan.whole.cycles;
    for (const auto& [rows, cols] : {std::pair(remainder_of(call.M), 0), std::pair(0, remainder_of(call.K))}) {
        if (rows + cols == 0 || kSecond >= cycles) continue;
        solve_gemm_t first = call;
        first.M -= rows, first.K -= cols;
        const Way last = choose(behind(call, rows ? first.M : 0, cols ? first.K : 0), costs, device, copies);
        const double besides = kSecond + last.cycles;
        if (besides + ladder::least_cycles(first, device) >= cycles) continue;
        const Way way = choose(first, costs, device, copies);
        if (way.cycles + besides >= cycles) continue;
        plan = {plan.whole, rows, cols, way, last};
        cycles = way.cycles + besides;
    }
    return plan;
}

inline Plan plan_of(const solve_gemm_t& call, const CostsOfGpu& costs, const DeviceFigures& device, bool copies) {
    static ladder::PlanCache<Plan> cache;
    return cache.find_or(ladder::key_of(call, costs, device, copies && is_transposed(call)),
                         [&] { return make_plan(call, costs, device, copies); });
}

// The products that a plan makes of one, each with its way.
template <class Product>
struct PartOf {
    Product gemm;
    Way way;
};
using Part = PartOf<ladder::Gemm>;

template <class Product>
std::vector<PartOf<Product>> parts_by(const Plan& plan, const Product& gemm) {
    if (plan.rows + plan.cols == 0) return {{gemm, plan.whole}};
    Product first = gemm;
    first.M -= plan.rows, first.K -= plan.cols;
    return {{first, plan.first}, {behind(gemm, plan.rows ? first.M : 0, plan.cols ? first.K : 0), plan.last}};
}

inline std::vector<Part> parts_of(const ladder::Gemm& gemm, const CostsOfGpu& costs, const DeviceFigures& device) {
    return parts_by(plan_of(ladder::call_of(gemm), costs, device), gemm);
}
inline std::vector<PartOf<solve_gemm_t>> parts_of_call(const solve_gemm_t& call, const DeviceFigures& device,
                                                       bool copies = true) {
    return parts_by(plan_of(call, ladder::costs_for(device.capability), device, copies), call);
}

}  // namespace rung_90
