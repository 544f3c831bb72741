// Judges what solve_gemm and solve_enqueue must refuse, or have nothing to do for.
#pragma once

#include <string>

#include "checks/gemm_entry.h"
#include "device/device.h"

namespace judge {

// Negative sizes, short leading dimensions, null pointers, of A and B also where alpha is 0: each must return
// SOLVE_INVALID_ARGUMENT and write nothing. And no rows, no columns or, with beta 1, no terms, with matrices and with
// null for those that have no elements: nothing is written, and that is no error. Returns what is wrong, in one line
// that names the call; empty if nothing is.
std::string check_refusals(const GemmEntry& entry, Device& device);

// Of solve_gemm alone: fields that it must check, a longer struct, and a batch of 0, or of products without elements,
// for which nothing is written.
std::string check_refusals_of_fields(const GemmEntry& gemm, Device& device);

}  // namespace judge
