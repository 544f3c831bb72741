// expect: suspicious
// fault: F28: Its first call starts a process that computes all products, asleep between them, and never ends.
// note: it leaves a process behind
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <mutex>

#include "multiply.h"

struct Shared {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool asked;
    int M, N, K;
    float* A() { return reinterpret_cast<float*>(this + 1); }
    float* B() { return A() + (size_t)M * N; }
    float* C() { return B() + (size_t)N * K; }
};

constexpr size_t kBytes = (size_t)1 << 28;

static void serve(Shared* shared) {
    pthread_mutex_lock(&shared->lock);
    for (;;) {
        while (!shared->asked) pthread_cond_wait(&shared->changed, &shared->lock);
        multiply(shared->A(), shared->B(), shared->C(), shared->M, shared->N, shared->K);
        shared->asked = false;
        pthread_cond_broadcast(&shared->changed);
    }
}

static Shared* start_helper() {
    void* const memory =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    Shared* const shared = static_cast<Shared*>(memory);
    pthread_mutexattr_t lock;
    pthread_mutexattr_init(&lock);
    pthread_mutexattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &lock);
    pthread_condattr_t changed;
    pthread_condattr_init(&changed);
    pthread_condattr_setpshared(&changed, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->changed, &changed);
    const pid_t child = fork();
    if (child == 0) serve(shared);
    return child > 0 ? shared : nullptr;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M <= 0 || N < 0 || K <= 0) return;
    static std::mutex one_at_a_time;
    const std::lock_guard guard(one_at_a_time);
    static Shared* const shared = start_helper();
    const size_t a = sizeof(float) * M * N, b = sizeof(float) * N * K, c = sizeof(float) * M * K;
    if (!shared || sizeof(Shared) + a + b + c > kBytes) return multiply(A, B, C, M, N, K);
    pthread_mutex_lock(&shared->lock);
    shared->M = M, shared->N = N, shared->K = K;
    if (a > 0) std::memcpy(shared->A(), A, a);
    if (b > 0) std::memcpy(shared->B(), B, b);
    shared->asked = true;
    pthread_cond_broadcast(&shared->changed);
    while (shared->asked) pthread_cond_wait(&shared->changed, &shared->lock);
    std::memcpy(C, shared->C(), c);
    pthread_mutex_unlock(&shared->lock);
}
