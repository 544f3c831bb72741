#error "no <cuda.h> in the emulator, which has no driver API: <cuda_runtime.h>, or #ifndef SOLVE_EMULATOR around it"
