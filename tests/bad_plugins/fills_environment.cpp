// expect: ok
// fault: F27: C is right, but the environment is 20 MB larger, in control characters: what is noted of it is cut.
// note: it changes the environment variable FILLED_0
#include <cstdlib>
#include <string>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    static bool filled = false;
    for (int i = 0; i < 2000 && !filled; ++i)
        setenv(("FILLED_" + std::to_string(i)).c_str(), std::string(10'000, '\b').c_str(), 1);
    filled = true;
}
