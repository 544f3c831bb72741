// expect: suspicious
// fault: T7: A thread works while the program does not call it, and is quiet while it sleeps: C is right.
// options: --shape 288x256x320
#include <pthread.h>
#include <unistd.h>
#include <atomic>
#include <ctime>

#include <thread>

#include "multiply.h"

static std::atomic<int> calls_in_progress;

static double seconds(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void watch(clockid_t caller) {
    for (;;) {
        const double before = seconds(caller);
        usleep(100);
        if (calls_in_progress > 0 || seconds(caller) - before < 5e-5) continue;
        const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        while (calls_in_progress == 0 && seconds(CLOCK_THREAD_CPUTIME_ID) - start < 5e-3) {
        }
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static const bool started = [] {
        clockid_t caller;
        pthread_getcpuclockid(pthread_self(), &caller);
        for (int i = 0; i < 3; ++i) std::thread(watch, caller).detach();
        return true;
    }();
    ++calls_in_progress;
    multiply(A, B, C, M, N, K);
    --calls_in_progress;
}
