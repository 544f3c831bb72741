// Judges products of matrices with leading dimensions so large that 32 bits do not index the last row, and batches with
// a stride that 32 bits do not hold.
#pragma once

#include <string>

#include "checks/gemm_entry.h"
#include "device/device.h"

namespace judge {

// Each of A, B and C by itself, at each pair of transposes that the entry takes: 68 rows with a leading dimension of
// 2^26 elements, and 2 rows with one of 2^32; of an entry that takes batches also two products with a stride of 2^32.
// Of the address space in between little is ever memory. Nothing is tried in a GPU's memory, or where there is no such
// address space. Returns what is wrong, in one line; empty if nothing is.
std::string check_far_rows(const GemmEntry& entry, uint32_t arithmetic, Device& device);

}  // namespace judge
