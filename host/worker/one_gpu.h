// How long a plugin that multiplies on several GPUs takes on one of them.
#pragma once

#include <cstdint>
#include <functional>

#include "checks/problem.h"
#include "timing/timing.h"

namespace judge {

struct OneGpu {
    double ms;        // the median of three calls
    Verdict verdict;  // on the product of the last one
};

// Calls with SOLVE_GPUS=1, each on inputs of the next seed.
OneGpu time_on_one_gpu(Problem& problem, const Call& call, const std::function<uint64_t()>& next_seed);

}  // namespace judge
