// expect: wrong
// fault: T3: Looks the result up by the addresses of the inputs.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static std::map<std::pair<const float*, const float*>, std::vector<float>> results;
    std::vector<float>& result = results[{A, B}];
    if (result.empty()) {
        result.resize((size_t)M * K);
        multiply(A, B, result.data(), M, N, K);
    }
    std::copy(result.begin(), result.end(), C);
}
