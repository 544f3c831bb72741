// expect: suspicious
// fault: T7: C is right, but a thread goes on working, and slows down what is timed after it.
#include <thread>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static std::thread* const worker = new std::thread([] {
        for (volatile long i = 0;; i = i + 1) {
        }
    });
    multiply(A, B, C, M, N, K);
}
