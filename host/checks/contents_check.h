// Products whose result depends on what the matrices hold in ways that no random one shows: zeros in a pattern, and one
// element that changes between equal calls.
#pragma once

#include <cstdint>
#include <string>

#include "checks/probes.h"
#include "device/device.h"

namespace judge {

// Matrices of whole numbers that are triangular, block-diagonal, or zero in every fourth row or column, with which any
// tile begins: what is left out because a part of it is zero is wrong. Empty, or what is wrong, in one line.
std::string check_structured_zeros(Device& device, const Multiply& multiply, uint64_t seed);

// A dozen equal calls, without a look at C between them; then, before each of some further ones, one element of A or B
// changes, drawn anew each time: what is remembered, or recognised by a sample of the elements, is wrong. Empty, or
// what is.
std::string check_changed_elements(Device& device, const Multiply& multiply, uint64_t seed);

}  // namespace judge
