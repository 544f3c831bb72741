#error "no <cooperative_groups.h> in the emulator: use __syncthreads() and __syncwarp(), or #ifndef SOLVE_EMULATOR"
