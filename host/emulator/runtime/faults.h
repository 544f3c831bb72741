// What a GPU's memory refuses: addresses that are none, and misaligned ones. The block ends with a fault that names the
// kernel and the thread, not the process with a signal. Under AddressSanitizer the signals are left to it.
#pragma once

#include <signal.h>

#include <cstdint>
#include <memory>
#include <string>

namespace emulator {

// While one exists the process catches SIGSEGV and SIGBUS: those of device code become faults, all others go to whom
// they went to before. On the OS thread that made it the handler has a stack of its own: a CUDA thread's may be full.
class FaultTrap {
  public:
    FaultTrap();
    ~FaultTrap();
    FaultTrap(const FaultTrap&) = delete;
    FaultTrap& operator=(const FaultTrap&) = delete;

  private:
    std::unique_ptr<char[]> stack_;
    stack_t former_stack_{};
};

// 0x7f...
std::string hexadecimal(uintptr_t value);

}  // namespace emulator
