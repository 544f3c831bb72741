// Judges how large a chain takes the product between its two for, where 32 bits do not hold that.
#pragma once

#include <functional>
#include <string>

#include "abi/solve.h"
#include "checks/far_elements.h"

namespace judge {

using ChainCall = std::function<int(const solve_chain_t*)>;

// Of solve_chain, and solve_chain_enqueue if it is not null, in host memory: chains of four matrices of some 65536 x
// 65536 elements, whose product between has 2^32 elements and a few more. Nothing is multiplied: what is looked at is
// how much memory there is when a matrix is touched for the first time or, in the emulator, a kernel launched. One that
// asks for as much as is left of the size in 32 bits, at three such shapes, is wrong; and so is one that takes a
// workspace of that size for enough. Returns what is wrong, in one line; empty if nothing is, or if that is not known.
// The plugin must not have been called before (process_copy.h).
std::string check_product_between(const MultiplyChain& multiply, const ChainCall& enqueue);

}  // namespace judge
