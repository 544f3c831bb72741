#error "the emulator has no <cuda_fp8.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
