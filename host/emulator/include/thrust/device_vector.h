#error "the emulator has no <thrust/device_vector.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
