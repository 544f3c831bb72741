#include "checks/conduct_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/counted.h"
#include "checks/process_state.h"

namespace judge {

namespace {

using Clock = std::chrono::steady_clock;

// Of a call and the wait for its work.
template <class Call>
double seconds_of(Device& device, Call call) {
    const auto start = Clock::now();
    call();
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
std::array<Resource, 5> resources(Device& device, int calls) {
    const Usage process = process_usage();
    // malloc's own bookkeeping moves by some hundred bytes. Device memory comes in blocks of 2 MiB, shared by many
    // small allocations.
    return {{{"byte", " of host memory", process.heap_bytes, 4096},
             {"byte", " of address space", process.mapped_bytes, int64_t{4096} * calls},
             {"thread", "", process.threads, calls},
             {"file descriptor", "", process.descriptors, calls},
             {"byte", " of device memory", device.bytes_in_use(), 1 << 20}}};
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

std::string check_resources(Device& device, const std::function<void()>& call, Effort effort) {
    const double seconds = seconds_of(device, call);
    if (seconds > 0.2) return {};
    const bool quick = effort == Effort::quick;
    const double set_seconds = quick ? 0.02 : 0.1;
    const int calls = static_cast<int>(std::clamp(set_seconds / std::max(seconds, 1e-9), 3.0, 64.0));
    const auto resources_after_calls = [&] {
        for (int i = 0; i < calls; ++i) call();
        device.synchronize();
        return resources(device, calls);
    };
    // Three times as many: what is set up once, or grows now and then as a pool does, grows in one of them at most.
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
    if (!grown.empty()) return fmt::format("each call leaks {}", grown);

    // A fifth of a core: a thread that spins for a moment (libgomp's 1 ms) uses less, and one that works gets more,
    // even of cores that others want too.
    const auto asleep = std::chrono::milliseconds(quick ? 20 : 50);
    const double busy = 1e3 * background_cpu_seconds(asleep);
    if (busy < asleep.count() / 5.0) return {};
    return fmt::format(
        "after the call has returned, threads of the plugin use {:.0f} ms of CPU time in {} ms, and slow down whatever "
        "it is raced against (OpenMP threads that spin: OMP_WAIT_POLICY=passive)",
        busy, asleep.count());
}

}  // namespace judge
