#include "faults.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string>

#include "block_runner.h"
#include "device_memory.h"

namespace emulator {
std::string hexadecimal(uintptr_t address) {
    char text[32];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

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

#ifndef __SANITIZE_ADDRESS__

constexpr size_t kSignalStack = 64 << 10;
constexpr int kSignals[] = {SIGSEGV, SIGBUS};

std::mutex faults_mutex;
int traps = 0;
struct sigaction former[std::size(kSignals)];

void handle(int number, siginfo_t* information, void* context);

struct sigaction own_action() {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // the handler is left by a switch to another stack
    return action;
}

// The judge guards the pages around the matrices, and lets an access pass that it has noted.
bool is_handled_by_former(int number, siginfo_t* information, void* context) {
    const struct sigaction& before = former[number == SIGSEGV ? 0 : 1];
    if (!(before.sa_flags & SA_SIGINFO) || !before.sa_sigaction) return false;
    before.sa_sigaction(number, information, context);
    struct sigaction now {};
    sigaction(number, nullptr, &now);
    if (now.sa_sigaction == handle) return true;
    const struct sigaction action = own_action();  // it has given up, and reset the signal
    sigaction(number, &action, nullptr);
    return false;
}

void handle(int number, siginfo_t* information, void* context) {
    BlockRunner* const runner = BlockRunner::executing();
    // Of which nobody else knows, and several threads at a time may run into it.
    if (runner && is_unusable_memory(information->si_addr)) runner->invalid_access(information->si_addr);
    if (!runner && is_closed_memory(information->si_addr)) {
        const std::string text = "emulator: host code accesses device memory at " +
                                 hexadecimal(reinterpret_cast<uintptr_t>(information->si_addr)) +
                                 ", as a GPU does not let it: copy with cudaMemcpy\n";
        (void)!write(STDERR_FILENO, text.data(), text.size());
    } else if (is_handled_by_former(number, information, context)) {
        return;
    }
    if (runner) runner->invalid_access(information->si_addr);
    signal(number, SIG_DFL);  // and once more
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
    const std::lock_guard lock(faults_mutex);
    if (traps++ > 0) return;
    const struct sigaction action = own_action();
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &former[i]);
}

FaultTrap::~FaultTrap() {
    sigaltstack(&former_stack_, nullptr);
    const std::lock_guard lock(faults_mutex);
    if (--traps > 0) return;
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &former[i], nullptr);
}
#endif

namespace {

void fault_if_in_kernel(const TypeMismatch& found, uintptr_t address) {
    BlockRunner* const runner = BlockRunner::executing();
    if (!runner) return;
    runner->fault(cudaErrorMisalignedAddress, "an access to " + std::string(found.type->name) + " at " +
                                                  hexadecimal(address) + ", which is not " +
                                                  std::to_string(1 << found.log_alignment) + "-byte aligned, in " +
                                                  found.location.file + ":" + std::to_string(found.location.line));
}

}  // namespace
}  // namespace emulator

// Called where an access through a pointer finds it less aligned than its type. Host code may do that on most CPUs, but
// not that of the ladder: it is compiled with calls of the second, after which nothing comes.
extern "C" void __ubsan_handle_type_mismatch_v1(emulator::TypeMismatch* found, uintptr_t address) {
    emulator::fault_if_in_kernel(*found, address);
}

extern "C" [[noreturn]] void __ubsan_handle_type_mismatch_v1_abort(emulator::TypeMismatch* found, uintptr_t address) {
    emulator::fault_if_in_kernel(*found, address);
    std::fprintf(stderr, "emulator: host code accesses %s at %s, which is misaligned, in %s:%u\n", found->type->name,
                 emulator::hexadecimal(address).c_str(), found->location.file, found->location.line);
    std::abort();
}
