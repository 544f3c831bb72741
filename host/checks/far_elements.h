// Finds out whether a plugin indexes dense matrices of more than 2^32 elements with 32 bits.
#pragma once

#include <functional>
#include <string>

#include "checks/exact_product.h"

namespace judge {

// Calls solve, or solve_chain, in host memory, for products in which a matrix has 16 rows of 1.5 thousand million
// elements. Little is computed: what counts is where the call first touches the matrices. It indexes with 32 bits if it
// touches memory before a matrix; or, before it has touched a row, the place where that row would begin if its offset,
// in elements or in bytes, were cut to 32 bits; or if it returns without an error and has not touched what it should
// write. Nothing is found out of a kernel that comes to the second row only after all elements of the first.
// Returns what it does, in one line; empty if nothing is wrong, or if that is not known. The plugin must not have been
// called before (process_copy.h).
using LastError = std::function<std::string()>;  // of the last call; empty if it made none
std::string check_far_elements(const Multiply& multiply, const LastError& last_error);

using MultiplyChain =
    std::function<void(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L)>;
std::string check_far_elements_of_chain(const MultiplyChain& multiply, const LastError& last_error);

}  // namespace judge
