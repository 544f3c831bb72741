// What a call must leave of the process it is made in: settings that others rely on, and resources that run out.
#pragma once

#include <sys/resource.h>

#include <array>
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

// Around calls of a plugin: puts back at the end of its scope what the judge's own work depends on. That is this
// thread's floating-point environment, which threads inherit: rounding towards zero, or subnormals flushed, would bend
// the reference. And the limits of the process: under a lower one of its memory the judge would fail in the plugin's
// place.
class CallGuard {
  public:
    CallGuard();
    ~CallGuard();
    CallGuard(const CallGuard&) = delete;
    CallGuard& operator=(const CallGuard&) = delete;

    // Puts it back now, before there may be no memory for words, and says what differed, as changes() of ProcessState.
    std::vector<std::string> changes();

  private:
    static constexpr size_t kLimits = 10;
    using Limits = std::array<rlimit, kLimits>;
    static Limits limits();
    Limits put_limits_back() const;  // returns what they were

    std::fenv_t environment_;
    std::map<std::string, std::string> modes_;
    Limits limits_;
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
