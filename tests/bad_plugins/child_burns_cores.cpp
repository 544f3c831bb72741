// expect: suspicious
// fault: T7 F28: Starts two processes that go on working, and take cores from whatever it is raced against: C is right.
#include <unistd.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static bool started;
    for (int i = 0; i < 2 && !started; ++i) {
        if (fork() != 0) continue;
        if (fork() != 0) _exit(0);  // an orphan, of which the caller knows nothing
        for (volatile bool on = true; on;) {
        }
    }
    started = true;
    multiply(A, B, C, M, N, K);
}
