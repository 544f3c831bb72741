// Looks how a plugin counts the elements of dense matrices that have more than 32 bits count.
#pragma once

#include <functional>
#include <string>

#include "checks/exact_product.h"

namespace judge {

// Of solve, or of solve_chain, in host memory: products in which a matrix has 16 rows of 1.5 thousand million elements.
// Little is computed: what is looked at is where the call touches the matrices first. One that touches memory before a
// matrix, or the place that 32 bits leave of where a row begins, in bytes or in elements, and not yet that row, counts
// in 32 bits; so does one that returns without an error and has not touched what it should write. Nothing is found out
// of a kernel that comes to the second row only after all elements of the first.
// Returns what it does, in one line; empty if nothing is wrong, or if that is not known. The plugin must not have been
// called before (process_copy.h).
using LastError = std::function<std::string()>;  // of the last call; empty if it made none
std::string check_far_elements(const Multiply& multiply, const LastError& last_error);

using MultiplyChain =
    std::function<void(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L)>;
std::string check_far_elements_of_chain(const MultiplyChain& multiply, const LastError& last_error);

}  // namespace judge
