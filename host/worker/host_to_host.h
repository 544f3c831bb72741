// A plugin for a GPU between matrices in the host's memory.
#pragma once

#include <cstdint>
#include <functional>

#include "checks/problem.h"
#include "device/device.h"
#include "timing/timing.h"
#include "values/record.h"

namespace judge {

// Times the call with copies from and to pageable memory and, where the device has it, pinned memory. The problem must
// have been judged. Whose C is wrong afterwards gets that verdict; where the host lacks the memory, a note says so.
void time_host_to_host(Problem& problem, const Call& call, Device& device, const std::function<uint64_t()>& next_seed,
                       Row& row);

}  // namespace judge
