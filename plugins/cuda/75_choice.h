// Which of an operand's roles, and which plan, 75 takes.
#pragma once

#include "75_across.h"

namespace rung_75 {

struct Choice {
    ladder::VectorProduct product{};
    ladder::VectorPlan plan{};
};

// The better of the two, for a call of one product without arrays; none if its C has too many rows and columns. Not
// streamed: the costs of 90_dispatch are of such plans.
inline Choice choose(const solve_gemm_t& call, const ladder::DeviceFigures& device) {
    Choice best;
    for (const auto& product : {ladder::by_columns(call), ladder::by_rows(call)}) {
        if (!product) continue;
        const auto plan = ladder::vector_plan(kKernel, *product, device);
        if (plan.cycles < best.plan.cycles) best = {*product, plan};
    }
    return best;
}

inline ladder::VectorPlan plan_to_launch(const Choice& choice, const ladder::DeviceFigures& device) {
    return ladder::streamed_if_worth(choice.plan, kKernel, choice.product, device);
}

}  // namespace rung_75
