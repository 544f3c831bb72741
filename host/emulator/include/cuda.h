#error \
    "the emulator has no <cuda.h>: the driver API is not emulated; include <cuda_runtime.h>, and keep what needs it behind #ifndef SOLVE_EMULATOR"
