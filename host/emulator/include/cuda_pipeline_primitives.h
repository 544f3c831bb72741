#error "the emulator has no <cuda_pipeline_primitives.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
