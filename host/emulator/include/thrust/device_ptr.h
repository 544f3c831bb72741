#error "the emulator has no <thrust/device_ptr.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
