// Judges solve_chain_enqueue beside solve_chain: what abi/solve.h promises of it.
#pragma once

#include <string>

#include "device/device.h"
#include "library/plugin.h"

namespace judge {

// The bits of solve_chain where that can do the same; padded rows, alpha, beta, empty sums, a stream, what is not read,
// equal bits of equal calls; memory that the caller lends, of several sizes; and what must be refused, of which nothing
// may be written. Returns what is wrong, in one line that names the call; empty if nothing is.
std::string check_chain_enqueue(const Plugin& plugin, Device& device);

// E = A * B * C of matrices without padding.
solve_chain_t dense_chain(const Shape& shape, const float* A, const float* B, const float* C, float* E);

}  // namespace judge
