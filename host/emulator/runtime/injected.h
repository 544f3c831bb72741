// Failures that a test asks for by environment variables, each the number of the call that fails, counted from 1; a new
// value counts anew, and one with a + behind it is that call and all later ones:
//
//   EMULATOR_MEMORY_FAIL      an allocation on a device or of pinned memory
//   EMULATOR_COPY_FAIL        an asynchronous copy or fill
//   EMULATOR_KERNEL_FAIL      a kernel faults when it runs
//   EMULATOR_KERNEL_HANG      a kernel, and where work is deferred alone, never begins, nor what is behind it
//   EMULATOR_NCCL_SETUP_FAIL  a call of NCCL that makes a communicator or a window
//   EMULATOR_NCCL_FAIL        a collective call
//   EMULATOR_NCCL_STALL       from that collective on no data come, which ncclCommGetAsyncError tells
//   EMULATOR_NCCL_HANG        likewise, and nobody tells
//   EMULATOR_CUBLASMP_FAIL    a product of a rank
#pragma once

namespace emulator {

// Whether this call, of those that ask for this variable, is the one that fails.
bool is_injected(const char* variable);

// Whether it is that one or a later one.
bool is_injected_from_then_on(const char* variable);

}  // namespace emulator
