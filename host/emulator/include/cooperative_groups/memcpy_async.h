#error "the emulator has no <cooperative_groups/memcpy_async.h>: keep what needs it behind #ifndef SOLVE_EMULATOR"
