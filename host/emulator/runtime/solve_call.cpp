#include "solve_call.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "device_memory.h"
#include "memory.h"
#include "stream.h"

// Defined by a plugin whose matrices are the host's.
extern "C" {
extern const char matrices_in_host_memory[] __attribute__((weak));
}

namespace emulator {
namespace {

// A call may allocate what later calls of its shape use. What each repeated one allocates and keeps is a leak.
struct Leaks {
    std::mutex mutex;
    int running = 0;
    bool alone = true;  // since the first of the calls that are running began
    std::set<std::array<int, 3>> shapes;
    size_t calls = 0;
    std::array<int, 2> leaking{};  // of those, the last ones in a row, by kind
    char text[256];
};

struct Kind {
    const char *what, *how_many;
    size_t (*live)();
};
constexpr std::array<Kind, 2> kKinds = {
    {{"memory of cudaMalloc", "allocations were not freed", live_allocations},
     {"a stream or an event", "of them were not destroyed", live_streams_and_events}}};

std::array<size_t, 2> live() {
    return {kKinds[0].live(), kKinds[1].live()};
}

Leaks& leaks() {
    static Leaks all;
    return all;
}

thread_local int depth = 0;
thread_local const char* not_ordered = "";
thread_local bool last_is_empty = false;

// Whoever gives a negative size has memory for the positive one.
size_t bytes_of(int rows, int columns) {
    return sizeof(float) * size_t(std::abs(int64_t{rows})) * size_t(std::abs(int64_t{columns}));
}

}  // namespace

SolveCall::SolveCall(const float* A, const float* B, float* C, int M, int N, int K)
    : matrices_{A, B, C}, sizes_{M, N, K}, live_(live()) {
    {
        const std::lock_guard lock(leaks().mutex);
        leaks().alone = leaks().running++ == 0;
    }
    if (!is_separate()) return;
    trap_.emplace();
    if (has_host_matrices()) return;
    ++depth;
    begin_ordered_call();
    add_device_memory(A, bytes_of(M, N), Access::read);
    add_device_memory(B, bytes_of(N, K), Access::read);
    add_device_memory(C, bytes_of(M, K), Access::write);
}

SolveCall::~SolveCall() {
    last_is_empty = sizes_[0] == 0 || sizes_[2] == 0;
    if (is_separate() && !has_host_matrices()) {
        for (const void* matrix : matrices_) remove_device_memory(matrix);
        --depth;
        not_ordered = end_ordered_call();
    }
    Leaks& all = leaks();
    const std::lock_guard lock(all.mutex);
    --all.running;
    ++all.calls;
    const bool repeated = !all.shapes.insert({sizes_[0], sizes_[1], sizes_[2]}).second;
    const std::array<size_t, 2> now = live();
    for (size_t i = 0; repeated && all.alone && i < kKinds.size(); ++i) {
        all.leaking[i] = now[i] > live_[i] ? all.leaking[i] + 1 : 0;
    }
}

std::unique_lock<std::mutex> SolveCall::alone() {
    std::unique_lock lock(leaks().mutex);
    if (leaks().running > 1) lock.unlock();
    return lock;
}

bool SolveCall::has_host_matrices() {
    return matrices_in_host_memory != nullptr;
}

bool SolveCall::is_inside() {
    return depth > 0;
}

bool SolveCall::knows_all_memory() {
    return is_inside() || (has_host_matrices() && is_separate());
}

bool had_nothing_to_write() {
    return last_is_empty;
}

const char* remark_on_calls() {
    if (*not_ordered) return not_ordered;
    Leaks& all = leaks();
    const std::lock_guard lock(all.mutex);
    for (size_t i = 0; i < kKinds.size(); ++i) {
        if (all.leaking[i] < 3) continue;
        std::snprintf(all.text, sizeof(all.text), "each call leaves %s behind: after %zu calls %zu %s", kKinds[i].what,
                      all.calls, kKinds[i].live(), kKinds[i].how_many);
        return all.text;
    }
    return nullptr;
}

}  // namespace emulator
