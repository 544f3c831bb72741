// Judges what solve_gemm and solve_enqueue must refuse, or have nothing to do for.
#pragma once

#include <cstdint>
#include <string>

#include "checks/gemm_entry.h"
#include "device/device.h"

namespace judge {

// Negative sizes, short and negative leading dimensions, null pointers, of A and B also where alpha is 0: each must
// return SOLVE_INVALID_ARGUMENT and write nothing, and solve_last_error, if there is one, has a text then. And no rows,
// no columns or, with beta 1, no terms, with matrices and with null for those that have no elements: nothing is
// written, and that is no error. Then a good call, which must be right. Returns what is wrong, in one line that names
// the call; empty if nothing is.
std::string check_refusals(const GemmEntry& entry, Device& device);

// Of solve_gemm alone: fields that it must check, a longer struct, and a batch of 0, or of products without elements,
// for which nothing is written.
std::string check_refusals_of_fields(const GemmEntry& gemm, Device& device);

// Leading dimensions that are too short for rows of eight elements, then negative ones. The last is 8 modulo 2^32.
constexpr int64_t kShortDimensions[] = {7, 1, 0, -1, -8, 8 - (int64_t{1} << 32)};

}  // namespace judge
