// expect: suspicious
// fault: T7: C is right, but threads go on working, and slow down what is timed after it.
#include <array>
#include <thread>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    // Four, so that on a busy machine, too, they get much of what CPU time there is.
    static std::array<std::thread*, 4> workers;
    for (std::thread*& worker : workers) {
        if (worker != nullptr) continue;
        worker = new std::thread([] {
            for (volatile long i = 0;; i = i + 1) {
            }
        });
    }
    multiply(A, B, C, M, N, K);
}
