#error "the emulator has no <cooperative_groups/reduce.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
