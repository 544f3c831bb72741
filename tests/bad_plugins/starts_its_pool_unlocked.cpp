// expect: wrong
// fault: contract: Says that its threads are there, and then starts them: another first call at that time finds none.
// note: the first two calls of a process
#include <condition_variable>
#include <mutex>
#include <thread>

#include "multiply.h"

struct Worker {
    std::mutex mutex;
    std::condition_variable changed;
    bool busy = false;
    const float *A, *B;
    float* C;
    int M, N, K;

    void serve() {
        for (std::unique_lock lock(mutex);;) {
            changed.wait(lock, [&] { return busy; });
            multiply(A, B, C, M, N, K);
            busy = false;
            changed.notify_all();
        }
    }
};

static bool started = false;
static Worker* worker = nullptr;
static std::mutex one_call;

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (!started) {
        started = true;
        worker = new Worker;
        std::thread(&Worker::serve, worker).detach();
    }
    const std::lock_guard one(one_call);
    if (!worker) return;
    std::unique_lock lock(worker->mutex);
    worker->A = A, worker->B = B, worker->C = C, worker->M = M, worker->N = N, worker->K = K;
    worker->busy = true;
    worker->changed.notify_all();
    worker->changed.wait(lock, [] { return !worker->busy; });
}
