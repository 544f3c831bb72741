#error "the emulator has no <thrust/host_vector.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
