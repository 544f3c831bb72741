#error "the emulator has no <thrust/sort.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
