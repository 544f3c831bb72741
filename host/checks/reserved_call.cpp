#include "checks/reserved_call.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>

#include "checks/process_copy.h"

namespace judge {

namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kBytesBefore = int64_t{1} << 33;  // what an index of 32 bits with a sign reaches
constexpr int64_t kReservedBehind = int64_t{1} << 30;

// Closed address space around data(); a page is opened when it is touched.
class Reserved {
  public:
    explicit Reserved(int64_t elements) : bytes_(kBytesBefore + elements * int64_t{sizeof(float)} + kReservedBehind) {
        void* const memory =
            mmap(nullptr, size_t(bytes_), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) memory_ = static_cast<char*>(memory);
    }
    ~Reserved() {
        if (memory_) munmap(memory_, size_t(bytes_));
    }
    Reserved(const Reserved&) = delete;
    Reserved& operator=(const Reserved&) = delete;

    explicit operator bool() const { return memory_ != nullptr; }
    float* data() const { return reinterpret_cast<float*>(memory_ + kBytesBefore); }
    bool holds(const char* address) const { return address >= memory_ && address < memory_ + bytes_; }
    int64_t element_at(const char* address) const {
        return (address - memory_ - kBytesBefore) / int64_t{sizeof(float)};
    }
    bool open_page_of(const char* address) const {
        char* const page = memory_ + (address - memory_) / kPage * kPage;
        return mprotect(page, kPage, PROT_READ | PROT_WRITE) == 0;
    }

  private:
    char* memory_ = nullptr;
    int64_t bytes_;
};

// Of the copy, for its handlers.
const std::vector<std::unique_ptr<Reserved>>* reserved = nullptr;
const Touched* touched = nullptr;

void on_fault(int number, siginfo_t* info, void*) {
    const int error = errno;
    const auto* const address = static_cast<const char*>(info->si_addr);
    for (size_t i = 0; i < reserved->size(); ++i) {
        const Reserved& matrix = *(*reserved)[i];
        if (!matrix.holds(address)) continue;
        if (!(*touched)(static_cast<int>(i), matrix.element_at(address))) end_copy();
        if (!matrix.open_page_of(address)) _exit(1);
        errno = error;
        return;
    }
    signal(number, SIG_DFL);  // the instruction faults again
}

void on_launch(int) {
    if (!(*touched)(kAtLaunch, 0)) end_copy();
}

void set_handlers() {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    struct sigaction at_launch {};
    at_launch.sa_handler = on_launch;
    sigaction(SIGUSR1, &at_launch, nullptr);
}

void call_in_copy(const ReservedCall& what, const std::vector<std::unique_ptr<Reserved>>& matrices) {
    // Device memory is not closed to host code there, since the pages are closed anyway.
    setenv("EMULATOR_SEPARATE_MEMORY", "0", 1);
    setenv("EMULATOR_DEVICE_MEMORY", "70368744177664", 1);  // 2^46
    if (what.stops_at_launch) setenv("EMULATOR_SIGNAL_AT_LAUNCH", std::to_string(SIGUSR1).c_str(), 1);
    reserved = &matrices;
    touched = &what.touched;
    set_handlers();
    std::vector<float*> data;
    for (const auto& matrix : matrices) data.push_back(matrix->data());
    what.call(data);
}

}  // namespace

bool make_reserved_call(const ReservedCall& call) {
    std::vector<std::unique_ptr<Reserved>> matrices;
    for (const int64_t elements : call.elements) {
        matrices.push_back(std::make_unique<Reserved>(elements));
        if (!*matrices.back()) return false;
    }
    return run_in_copy(call.milliseconds, [&] { call_in_copy(call, matrices); });
}

}  // namespace judge
