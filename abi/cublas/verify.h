// Freivalds' test of a product that we have done: are C * x and op(A) * (op(B) * x) the same for a random x of +-1?
#pragma once

#include <memory>

#include "../solve.h"

namespace drop_in {

struct Verification;

// Before the call, since it may read C. Null if it cannot be checked: a stream that is being captured into a graph may
// not be waited for, and without the driver's own functions nothing can be copied from the GPU. A note says so.
std::shared_ptr<const Verification> begin_verification(const solve_gemm_t& call);

// After it: waits for the stream, copies one product of the batch to ordinary memory, and tests it in FP64. A wrong one
// is told on standard error. `entry` is the function of cuBLAS.
void finish_verification(const Verification& verification, const char* entry);

}  // namespace drop_in
