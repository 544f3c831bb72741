// Judges products of blocks that lie within one matrix, as a blocked LU or Cholesky decomposition makes them.
#pragma once

#include <cstdint>
#include <string>

#include "checks/gemm_entry.h"
#include "device/device.h"

namespace judge {

// Their rows alternate in memory, and no element of C is one of A or B: abi/solve.h allows that. Returns what is wrong,
// in one line that names the call; empty if nothing is.
std::string check_one_buffer(const GemmEntry& entry, uint32_t arithmetic, Device& device);

}  // namespace judge
