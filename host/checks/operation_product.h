// The other operations of a plugin as plain products, so that what is measured of solve can be measured of them.
#pragma once

#include <stdexcept>

#include "checks/evidence.h"
#include "checks/problem.h"
#include "device/device.h"
#include "library/plugin.h"

namespace judge {

// The plugin says that it cannot make such a product.
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// C = A * B, with all matrices as solve has them, by the operation that the problem is of: by solve_gemm with the
// operands as its form has them in memory, one product a call; by solve_chain with the identity as the third matrix,
// which rounds nothing, but makes NaN of what is infinite. The call may throw Unsupported. Both must outlive it.
Multiply multiply_by(const Plugin& plugin, Device& device, const Problem& problem);

}  // namespace judge
