#include "checks/circumstances.h"

#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <set>
#include <string>
#include <thread>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "base/processes.h"
#include "base/scoped_variable.h"
#include "checks/load_average.h"
#include "checks/process_state.h"

namespace judge {

namespace {

using Call = std::function<void()>;

std::set<pid_t> threads() {
    std::set<pid_t> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
        found.insert(pid_t(std::stol(entry.path().filename().string())));
    }
    return found;
}

// Threads that the call starts, and leaves, inherit its processors: they get all of them back.
void on_one_processor(const Call& call) {
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof(all), &all) != 0) return call();
    const std::set<pid_t> before = threads();
    CPU_ZERO(&one);
    int last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &all)) --last;
    CPU_SET(last, &one);
    sched_setaffinity(0, sizeof(one), &one);
    call();
    sched_setaffinity(0, sizeof(all), &all);
    for (const pid_t thread : threads()) {
        if (!before.contains(thread)) sched_setaffinity(thread, sizeof(all), &all);
    }
}

// What BLAS libraries and OpenMP read: one thread, or else more.
void with_variables(const Call& call) {
    std::list<ScopedVariable> variables;
    for (const char* const name : {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                                   "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUM_THREADS"}) {
        const char* const now = std::getenv(name);
        variables.emplace_back(name, now != nullptr && std::string(now) == "1" ? "3" : "1");
    }
    call();
}

void told_of_load(double load, const Call& call) {
    const LoadAverage average(load);
    call();
}

// Who looks at the load or starts threads has done so long before the others rest: an emulated call may take seconds.
void beside_others(const Call& call) {
    constexpr double kMostSeconds = 0.03;
    std::atomic<bool> ended{false};
    std::vector<std::thread> others;
    for (int i = 0; i < 2; ++i) {
        others.emplace_back([&] {
            while (!ended && thread_cpu_seconds() < kMostSeconds) {
            }
        });
    }
    call();
    ended = true;
    for (std::thread& other : others) other.join();
}

[[gnu::noinline]] void fill_stack(unsigned char byte) {
    volatile unsigned char junk[64 << 10];
    for (volatile unsigned char& each : junk) each = byte;
}

void flushing_subnormals(const Call& call) {
#if defined(__x86_64__)
    const CallGuard guard;
    _mm_setcsr(_mm_getcsr() | 0x8040);  // results, and operands
#endif
    call();
}

}  // namespace

std::vector<Circumstance> circumstances() {
    return {
        {"on one processor", on_one_processor},
        {"with OMP_NUM_THREADS and the like in the environment", with_variables},
        {"where getloadavg tells of an idle machine", [](const Call& call) { told_of_load(0, call); }},
        {"where the caller flushes subnormals", flushing_subnormals},
        {"on a stack that held other bytes",
         [](const Call& call) {
             fill_stack(0xff);
             call();
         }},
        {"where getloadavg tells of a busy machine", [](const Call& call) { told_of_load(1000, call); }, true},
        {"beside threads that work", beside_others, true},
        {"from another thread", [](const Call& call) { std::thread(call).join(); }, true},
    };
}

}  // namespace judge
