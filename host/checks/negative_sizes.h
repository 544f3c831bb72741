// What a plugin does with a negative size: by abi/solve.h an error, of which nothing is written.
#pragma once

#include <string>

#include "checks/evidence.h"
#include "device/device.h"

namespace judge {

// Calls it with each of M, N and K negative in turn, and says what it did to the matrices, in a few words; empty for
// nothing, or, where N alone is negative, for a C of zeros, which is what a sum of no terms comes to. Then makes a
// product in the same process: one that is wrong is told too.
std::string misuse_of_negative_sizes(Device& device, const Multiply& multiply);

}  // namespace judge
