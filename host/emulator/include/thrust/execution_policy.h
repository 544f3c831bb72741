#error "the emulator has no <thrust/execution_policy.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
