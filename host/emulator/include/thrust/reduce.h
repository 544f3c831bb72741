#error "the emulator has no <thrust/reduce.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
