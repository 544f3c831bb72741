#include "faults.h"

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

#include "block_runner.h"

namespace emulator {
namespace {

// What g++ passes to the handler of -fsanitize=alignment.
struct SourceLocation {
    const char* file;
    uint32_t line, column;
};
struct TypeDescriptor {
    uint16_t kind, information;
    char name[1];  // as long as it takes
};
struct TypeMismatch {
    SourceLocation location;
    const TypeDescriptor* type;
    unsigned char log_alignment, check;
};

std::string hexadecimal(uintptr_t address) {
    char text[32];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

#ifndef __SANITIZE_ADDRESS__

constexpr size_t kSignalStack = 64 << 10;
constexpr int kSignals[] = {SIGSEGV, SIGBUS};

std::mutex mutex;
int traps = 0;
struct sigaction former[std::size(kSignals)];

void handle(int number, siginfo_t* information, void*) {
    if (BlockRunner* const runner = BlockRunner::executing()) runner->invalid_access(information->si_addr);
    // Not device code: once more, with what the signal did before.
    for (size_t i = 0; i < std::size(kSignals); ++i) {
        if (kSignals[i] == number) sigaction(number, &former[i], nullptr);
    }
}

#endif

}  // namespace

#ifdef __SANITIZE_ADDRESS__
FaultTrap::FaultTrap() = default;
FaultTrap::~FaultTrap() = default;
#else
FaultTrap::FaultTrap() : stack_(new char[kSignalStack]) {
    stack_t stack{};
    stack.ss_sp = stack_.get();
    stack.ss_size = kSignalStack;
    sigaltstack(&stack, &former_stack_);
    const std::lock_guard lock(mutex);
    if (traps++ > 0) return;
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // the handler is left by a switch to another stack
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &former[i]);
}

FaultTrap::~FaultTrap() {
    sigaltstack(&former_stack_, nullptr);
    const std::lock_guard lock(mutex);
    if (--traps > 0) return;
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &former[i], nullptr);
}
#endif

}  // namespace emulator

// Called where an access through a pointer finds it less aligned than its type. Host code may do that on most CPUs.
extern "C" void __ubsan_handle_type_mismatch_v1(emulator::TypeMismatch* found, uintptr_t address) {
    emulator::BlockRunner* const runner = emulator::BlockRunner::executing();
    if (!runner) return;
    const emulator::SourceLocation& where = found->location;
    runner->fault(cudaErrorMisalignedAddress, "an access to " + std::string(found->type->name) + " at " +
                                                  emulator::hexadecimal(address) + ", which is not " +
                                                  std::to_string(1 << found->log_alignment) + "-byte aligned, in " +
                                                  where.file + ":" + std::to_string(where.line));
}
