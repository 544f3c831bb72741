#error "the emulator has no <cuda_pipeline.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
