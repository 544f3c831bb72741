// Judges products of matrices whose rows lie so far apart that an index of 32 bits does not reach the last one.
#pragma once

#include <string>

#include "checks/gemm_entry.h"
#include "device/device.h"

namespace judge {

// Each of A, B and C by itself, at each pair of transposes that the entry takes: 68 rows that are 2^26 elements apart,
// and 2 rows that are 2^32 apart. Of the address space in between little is ever memory. Nothing is tried in a GPU's
// memory, or where there is no such address space. Returns what is wrong, in one line; empty if nothing is.
std::string check_far_rows(const GemmEntry& entry, uint32_t arithmetic, Device& device);

}  // namespace judge
