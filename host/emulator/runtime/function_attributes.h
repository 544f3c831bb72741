// The dynamic shared memory that kernels have opted in to.
#pragma once

#include <cstddef>

namespace emulator {

// For null (a kernel whose template arguments the launch deduces) the largest opt-in of any kernel of this library:
// such a launch does not say which function it calls.
size_t dynamic_shared_limit(const void* function);

}  // namespace emulator
