// expect: not-written
// fault: W7: Leaves out every hundredth element, as a checker that wants 99% of them right allows.
#include <vector>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    std::vector<float> result((size_t)M * K);
    multiply(A, B, result.data(), M, N, K);
    for (size_t i = 0; i < result.size(); ++i) {
        if (i % 100 != 99) C[i] = result[i];
    }
}
