// The entries of a plugin as products of two matrices.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "library/plugin.h"
#include "values/gemm_form.h"
#include "values/shape.h"

namespace judge {

struct PlainEntry {
    std::string name;
    bool returns_code;  // else it is always SOLVE_OK
    // C = A * B, in host memory; on any thread.
    std::function<int(const Shape&, const float* A, const float* B, float* C)> call;
};

// Those that compute this operation: solve_gemm with the operands as the form has them, one product a call, a chain
// with the identity as its second matrix. The plugin must outlive them.
std::vector<PlainEntry> plain_entries(const Plugin& plugin, Operation operation, const GemmForm& form);

}  // namespace judge
