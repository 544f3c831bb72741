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

namespace emulator {
namespace {

// A call may allocate what later calls of its shape use. What each repeated one allocates and keeps is a leak.
struct Leaks {
    std::mutex mutex;
    int running = 0;
    bool alone = true;  // since the first of the calls that are running began
    std::set<std::array<int, 3>> shapes;
    size_t calls = 0;
    int leaking = 0;  // of those, the last ones in a row
    char text[256];
};

Leaks& leaks() {
    static Leaks all;
    return all;
}

thread_local int depth = 0;

// Whoever gives a negative size has memory for the positive one.
size_t bytes_of(int rows, int columns) {
    return sizeof(float) * size_t(std::abs(int64_t{rows})) * size_t(std::abs(int64_t{columns}));
}

}  // namespace

SolveCall::SolveCall(const float* A, const float* B, float* C, int M, int N, int K)
    : matrices_{A, B, C}, sizes_{M, N, K}, allocations_(live_allocations()) {
    {
        const std::lock_guard lock(leaks().mutex);
        leaks().alone = leaks().running++ == 0;
    }
    if (!is_separate()) return;
    ++depth;
    trap_.emplace();
    add_device_memory(A, bytes_of(M, N), Access::read);
    add_device_memory(B, bytes_of(N, K), Access::read);
    add_device_memory(C, bytes_of(M, K), Access::write);
}

SolveCall::~SolveCall() {
    if (is_separate()) {
        for (const void* matrix : matrices_) remove_device_memory(matrix);
        --depth;
    }
    Leaks& all = leaks();
    const std::lock_guard lock(all.mutex);
    --all.running;
    ++all.calls;
    const bool repeated = !all.shapes.insert({sizes_[0], sizes_[1], sizes_[2]}).second;
    if (repeated && all.alone) all.leaking = live_allocations() > allocations_ ? all.leaking + 1 : 0;
}

std::unique_lock<std::mutex> SolveCall::alone() {
    std::unique_lock lock(leaks().mutex);
    if (leaks().running > 1) lock.unlock();
    return lock;
}

bool SolveCall::is_inside() {
    return depth > 0;
}

const char* leak_of_calls() {
    Leaks& all = leaks();
    const std::lock_guard lock(all.mutex);
    if (all.leaking < 3) return nullptr;
    std::snprintf(all.text, sizeof(all.text),
                  "each call leaves memory of cudaMalloc behind: after %zu calls %zu allocations were not freed",
                  all.calls, live_allocations());
    return all.text;
}

}  // namespace emulator
