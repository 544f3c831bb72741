// Judges solve_gemm at small products, all that it promises.
#pragma once

#include <optional>
#include <string>

#include "abi/solve.h"
#include "checks/problem.h"
#include "device/device.h"
#include "library/plugin.h"

namespace judge {

// Every pair of transposes with padded leading dimensions (NaN in the padding), alpha and beta, a bias of rows and of
// columns, batches by strides, by arrays of pointers and with a shared operand, a workspace of the caller's, a stream
// of its own; what the BLAS does not read; what is refused. What the plugin calls unsupported must leave C alone, and
// is right then. Returns what is wrong, in one line that names the call; empty if nothing is.
std::string check_gemm(const Plugin& plugin, Device& device);

// The call of solve_gemm for products whose matrices lie one behind the other; and for all products of the problem,
// which has a form.
solve_gemm_t dense_call(const GemmForm& form, const Shape& shape, const float* A, const float* B, float* C);
solve_gemm_t call_of(const Problem& problem);

}  // namespace judge
