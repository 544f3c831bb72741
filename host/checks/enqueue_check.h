// Judges solve_enqueue, the full GEMM, beside solve.
#pragma once

#include <string>

#include "device/device.h"
#include "library/plugin.h"

namespace judge {

// C = alpha A B + beta C at small ragged shapes: padded leading dimensions, with NaN in the padding; the rules of the
// BLAS about what is not read (C when beta is 0, A and B when alpha is 0: NaN there must not spread); and a stream of
// the caller's, while the default stream is kept busy, so that work that strays onto it comes too late. Returns what is
// wrong, in one line that names the call; empty if nothing is.
std::string check_enqueue(const Plugin& plugin, Device& device);

}  // namespace judge
