// expect: not-written
// fault: T6: Returns at once; a thread computes a moment later.
#include <chrono>
#include <thread>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    std::thread([=] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        multiply(A, B, C, M, N, K);
    }).detach();
}
