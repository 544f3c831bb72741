// What a call must leave of the process it is made in: settings that others rely on, and resources that run out.
#pragma once

#include <cfenv>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace judge {

// Settings of the process. Descriptors that were opened since are none: libraries open some.
struct ProcessState {
    std::map<std::string, std::string> settings;     // "the umask": "0022"
    std::map<std::string, std::string> environment;  // "PATH": "/usr/bin"
    std::map<int, std::string> descriptors;          // 3: "pipe:[1234]"
};

ProcessState process_state();

// What differs, each in a few words: "the umask (0022, now 0000)".
std::vector<std::string> changes(const ProcessState& before, const ProcessState& after);

// The changes among these that decide how fast a BLAS library in this process is: the processors that it may use, its
// priority, and the variables that such libraries and OpenMP read.
std::vector<std::string> changes_of_speed(const ProcessState& before, const ProcessState& after);

// Puts this thread's floating-point environment back at the end of its scope. The judge's own FP64 sums run in it, and
// in threads that inherit it: rounding towards zero, or subnormals flushed, would bend the reference.
class FloatingPointGuard {
  public:
    FloatingPointGuard() { std::fegetenv(&saved_); }
    ~FloatingPointGuard() { std::fesetenv(&saved_); }
    FloatingPointGuard(const FloatingPointGuard&) = delete;
    FloatingPointGuard& operator=(const FloatingPointGuard&) = delete;

    // What differs now, as changes() of ProcessState has it.
    std::vector<std::string> changes() const;

  private:
    using Modes = std::map<std::string, std::string>;
    static Modes modes();

    std::fenv_t saved_;
    Modes modes_ = modes();
};

// What the process holds now.
struct Usage {
    int64_t heap_bytes = 0;  // of malloc
    // Of address space, without that of malloc and what is only reserved: where threads meet in malloc, it reserves
    // 64 MiB for another arena, at any time on a busy machine.
    int64_t mapped_bytes = 0;
    int64_t threads = 0;
    int64_t descriptors = 0;
    int64_t timers = 0;  // POSIX timers that were created
    int64_t files = 0;   // and directories: in the working directory, in that for temporary files and in /dev/shm
};

Usage process_usage();

// What setitimer or alarm has set, in words; empty for nothing.
std::string pending_alarm();

// CPU time in seconds that all threads of the process use while this one sleeps.
double background_cpu_seconds(std::chrono::milliseconds asleep);

}  // namespace judge
