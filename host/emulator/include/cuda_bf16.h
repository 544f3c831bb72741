#error "the emulator has no <cuda_bf16.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
