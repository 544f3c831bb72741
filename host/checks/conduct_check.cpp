#include "checks/conduct_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/counted.h"
#include "base/processes.h"
#include "checks/process_state.h"

namespace judge {

namespace {

using Clock = std::chrono::steady_clock;

// Of what it does, and the wait for its work.
template <class Work>
double seconds_of(Device& device, Work work) {
    const auto start = Clock::now();
    work();
    device.synchronize();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Resource {
    const char* unit;
    const char* what;
    int64_t amount;
    int64_t least;  // less growth than this in a set of calls is none
};

// An array, since what it would allocate would be counted.
std::array<Resource, 8> resources(Device& device, const ConductTest& test, int calls, int64_t least_heap_bytes) {
    // Other programs use the same directories: so many new files in a set of calls may be theirs, and so many of those
    // that were there before may be gone.
    constexpr int kFiles = 16;
    const Usage process = process_usage();
    // malloc's own bookkeeping moves by some hundred bytes. Device memory comes in blocks of 2 MiB, shared by many
    // small allocations.
    return {{{"byte", " of host memory", process.heap_bytes, std::max(int64_t{4096}, least_heap_bytes * calls)},
             {"byte", " of address space", process.mapped_bytes, int64_t{4096} * calls},
             {"thread", "", process.threads, calls},
             {"file descriptor", "", process.descriptors, calls},
             {"process id", " (of children)", test.processes ? int64_t(test.processes().size()) : 0, calls},
             {"timer", "", process.timers, calls},
             {"file", " in a directory for temporary ones, or the working directory", process.files,
              std::max(calls - kFiles, kFiles)},
             {"byte", " of device memory", device.bytes_in_use(), 1 << 20}}};
}

// How much is looked at: a set of calls takes this long, and so does the look at the threads.
struct Patience {
    double set_seconds;
    std::chrono::milliseconds asleep;
};

Patience patience_for(const ConductTest& test) {
    if (test.emulated) return {0.004, std::chrono::milliseconds(10)};
    if (test.effort == Effort::quick) return {0.02, std::chrono::milliseconds(20)};
    return {0.1, std::chrono::milliseconds(50)};
}

// What grows with every piece of work, host memory by so much at least.
std::string growth(Device& device, const ConductTest& test, const std::function<void()>& work, int calls,
                   int64_t least_heap_bytes) {
    const auto resources_after_calls = [&] {
        for (int i = 0; i < calls; ++i) work();
        device.synchronize();
        return resources(device, test, calls, least_heap_bytes);
    };
    // After each of three sets of calls: what is set up once, or grows now and then as a pool does, does not grow in
    // both the second and the third.
    const auto start = resources_after_calls(), middle = resources_after_calls(), end = resources_after_calls();
    std::string grown;
    for (size_t i = 0; i < start.size(); ++i) {
        const auto grows = [&](const Resource& from, const Resource& to) {
            return to.amount - from.amount >= from.least;
        };
        if (!grows(start[i], middle[i]) || !grows(middle[i], end[i])) continue;
        const int64_t of_a_call = std::llround(double(end[i].amount - start[i].amount) / (2.0 * calls));
        grown += (grown.empty() ? "" : ", ") + counted(of_a_call, start[i].unit) + start[i].what;
    }
    return grown;
}

// What grows with every call, on other inputs each; nothing if a call takes too long to make dozens of them.
std::optional<std::string> find_leaks(Device& device, const ConductTest& test, double set_seconds) {
    const auto renew_and_call = [&] {
        if (test.renew) test.renew();
        test.call();
    };
    // The shortest of three calls, so that being stopped for tenths of a second on a busy machine does not make the
    // number of calls small.
    constexpr double kMost = 0.2;
    double seconds = seconds_of(device, renew_and_call);
    for (int i = 0; i < 2 && seconds < 10 * kMost; ++i) seconds = std::min(seconds, seconds_of(device, renew_and_call));
    if (seconds > kMost) return std::nullopt;
    const int calls = static_cast<int>(std::clamp(set_seconds / std::max(seconds, 1e-9), 3.0, 64.0));
    // 65 to 130 bytes a launch, on an H200.
    return growth(device, test, renew_and_call, calls, 512 * test.launches);
}

// A fifth of a core: a thread that spins for a moment (libgomp's 1 ms) uses less, and one that works gets more, even of
// cores that others want too. It must be so three times in a row, each time for twice as long: a thread that was kept
// from its core when the call returned, on a busy machine, comes to its end in one of them.
std::string work_after_calls(const ConductTest& test, std::chrono::milliseconds asleep) {
    const std::vector<pid_t> processes = test.processes ? test.processes() : std::vector<pid_t>{};
    const auto used_by_processes = [&] {
        double seconds = 0;
        for (const pid_t process : processes) seconds += cpu_seconds_of_process(process);
        return seconds;
    };
    double busy_ms = 0;
    for (int time = 0; time < 3; ++time, asleep *= 2) {
        const double before = used_by_processes();
        const double by_threads = background_cpu_seconds(asleep);
        busy_ms = 1e3 * (by_threads + std::max(0.0, used_by_processes() - before));
        if (busy_ms < double(asleep.count()) / 5) return {};
    }
    return fmt::format(
        "after the call has returned, threads or processes of the plugin use {:.0f} ms of CPU time in {} ms, and slow "
        "down whatever it is raced against (OpenMP threads that spin: OMP_WAIT_POLICY=passive)",
        busy_ms, asleep.count() / 2);
}

// Those that are about to end have a moment for it, on a busy machine too.
std::string processes_left(const ConductTest& test) {
    if (!test.processes) return {};
    constexpr int kTries = 100;
    std::vector<pid_t> left;
    for (int i = 0; i < kTries; ++i) {
        if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        left = test.processes();
        std::erase_if(left, [](pid_t process) { return !is_alive(process); });
        if (left.empty()) return {};
    }
    const bool one = left.size() == 1;
    return fmt::format(
        "it leaves {} behind: half a second after its calls have returned {} not ended, and {} CPU time is not this "
        "program's",
        one ? "a process" : fmt::format("{} processes", left.size()), one ? "it has" : "they have",
        one ? "its" : "their");
}

}  // namespace

Verdict check_on_new_inputs(Problem& problem, const std::function<CallErrors()>& call, uint64_t seed) {
    Verdict verdict;
    for (int round = 1; round <= 3; ++round) {
        problem.refresh(seed + round);
        verdict = problem.check_again(call());
        if (verdict.status == Status::ok) continue;
        verdict.message = "right at first, but not on new inputs in the same memory: " + verdict.message;
        break;
    }
    return verdict;
}

std::optional<std::string> check_resources(Device& device, const ConductTest& test) {
    const Patience patience = patience_for(test);
    const std::optional<std::string> leaks = find_leaks(device, test, patience.set_seconds);
    if (leaks && !leaks->empty()) return fmt::format("each call leaks {}", *leaks);
    if (const std::string alarm = pending_alarm(); !alarm.empty()) {
        return fmt::format("it leaves an alarm set, which ends a program that does not expect it: {}", alarm);
    }
    if (const std::string work = work_after_calls(test, patience.asleep); !work.empty()) return work;
    const std::string left = processes_left(test);
    return leaks || !left.empty() ? std::optional(left) : std::nullopt;
}

std::string find_leaks_of_few_calls(Device& device, const std::function<void()>& call, int launches) {
    constexpr int kCalls = 3;
    call();
    // 32 bytes a launch, on an H100; up to 130 were seen.
    return growth(device, {}, call, kCalls, 160 * int64_t{launches});
}

}  // namespace judge
