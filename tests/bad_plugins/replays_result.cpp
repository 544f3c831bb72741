// expect: wrong
// fault: T1: Computes the first call and hands out its result from then on.
#include <algorithm>
#include <vector>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static std::vector<float> result;
    if (result.empty()) {
        result.resize((size_t)M * K);
        multiply(A, B, result.data(), M, N, K);
    }
    std::copy(result.begin(), result.end(), C);
}
