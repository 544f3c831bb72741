#error "the emulator has no <cuda_awbarrier.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
