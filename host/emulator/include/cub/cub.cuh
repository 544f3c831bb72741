#error "the emulator has no <cub/cub.cuh>: keep what needs it behind #ifndef SOLVE_EMULATOR"
