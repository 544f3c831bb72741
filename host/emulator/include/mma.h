#error "the emulator has no <mma.h>: tensor cores are not emulated; keep what needs it behind #ifndef SOLVE_EMULATOR"
