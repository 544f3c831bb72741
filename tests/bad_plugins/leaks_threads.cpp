// expect: suspicious
// fault: F25: C is right; each call leaves a thread that sleeps.
#include <unistd.h>
#include <thread>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    std::thread([] { pause(); }).detach();
}
