// How many threads a kernel can have resident per SM.
#pragma once

#include <optional>

#include "values/kernel_launch.h"

namespace judge::html {

struct Occupancy {
    int blocks;         // on one multiprocessor
    double part;        // of the threads that it can hold
    const char* limit;  // what allows no more: "registers", "shared memory", "threads", "blocks"
};

// By the limits of the compute capability (10 * major + minor); none where that, or the kernel's registers, are not
// known, or where not one block fits.
std::optional<Occupancy> occupancy(const KernelLaunch& launch, int compute_capability);

}  // namespace judge::html
