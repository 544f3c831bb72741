// expect: suspicious
// fault: T4: Leaves C as it is when the call before has just ended, as in a batch of calls on the same matrices.
#include <chrono>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    using Clock = std::chrono::steady_clock;
    static Clock::time_point last;
    if (Clock::now() - last > std::chrono::microseconds(20)) multiply(A, B, C, M, N, K);
    last = Clock::now();
}
