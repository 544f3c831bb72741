// Judges whether a chain computes the size of its intermediate product with 32 bits.
#pragma once

#include <functional>
#include <string>

#include "abi/solve.h"
#include "checks/far_elements.h"

namespace judge {

using ChainCall = std::function<int(const solve_chain_t*)>;

// Calls solve_chain, and solve_chain_enqueue if it is not null, in host memory, with chains of four matrices of some
// 65536 x 65536 elements, whose intermediate product has 2^32 elements and a few more. Nothing is multiplied: what
// counts is how much memory the call has got when it first touches a matrix or, in the emulator, launches a kernel. A
// plugin that allocates the size modulo 2^32 at three such shapes is wrong, and so is one that accepts a workspace of
// that size. Returns what is wrong, in one line; empty if nothing is, or if that is not known. The plugin must not have
// been called before (process_copy.h).
std::string check_product_between(const MultiplyChain& multiply, const ChainCall& enqueue);

}  // namespace judge
