#error \
    "the emulator has no <cooperative_groups.h>: use __syncthreads() and __syncwarp(); keep what needs it behind #ifndef SOLVE_EMULATOR"
