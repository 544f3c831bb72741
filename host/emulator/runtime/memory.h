// What cudaMalloc and its kin have handed out and not got back.
#pragma once

#include <cstddef>

namespace emulator {

size_t live_allocations();

}  // namespace emulator
