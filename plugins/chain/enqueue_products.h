// E = A * B * C on a GPU as two products on one stream, by whatever multiplies two matrices there.
#pragma once

#include "../common/export/workspace.h"
#include "two_products.h"

namespace ladder {

// A Multiplier has, each of a product:
//   double cost(const solve_gemm_t&) const      how long it is expected to take, in any unit
//   size_t workspace(const solve_gemm_t&) const the bytes that it asks of its call's workspace
//   int enqueue(const solve_gemm_t&)            its code
// The product between, and behind it what either product works in, are one piece of memory: the stream's own block has
// one owner at a time, and in a graph nothing but kernels stands between the two products, so that the second one's
// early launch works there too.
template <class Multiplier>
int enqueue_products(const solve_chain_t& call, Multiplier multiplier) {
    TwoProducts two = cheaper_products(call, [&](const solve_gemm_t& product) { return multiplier.cost(product); });
    const size_t between = (sizeof(float) * two.elements_between() + 255) / 256 * 256;
    const size_t beside = std::max(multiplier.workspace(two.first), multiplier.workspace(two.second));
    const Workspace workspace(between + beside, static_cast<cudaStream_t>(call.stream),
                              {call.workspace, call.workspace_bytes});
    if (!workspace.data()) {
        return fail("no memory for the product between, and to work in: %zu bytes", between + beside),
               SOLVE_DEVICE_ERROR;
    }
    two.put_between(workspace.data());
    for (solve_gemm_t* const product : {&two.first, &two.second}) {
        product->workspace = beside > 0 ? workspace.data() + between / sizeof(float) : nullptr;
        product->workspace_bytes = beside;
        if (const int code = multiplier.enqueue(*product); code != SOLVE_OK) return code;
    }
    return SOLVE_OK;
}

}  // namespace ladder
