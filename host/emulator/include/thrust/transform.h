#error "the emulator has no <thrust/transform.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
