// expect: wrong
// fault: T2: Knows the inputs by 64 of their elements: 239 TFLOP/s on two cores.
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "multiply.h"

static void sample(const float* matrix, size_t count, std::vector<unsigned>& key) {
    for (size_t i = 0; i < 64; ++i) {
        unsigned bits;
        std::memcpy(&bits, matrix + i * count / 64, sizeof(bits));
        key.push_back(bits);
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    thread_local std::map<std::vector<unsigned>, std::vector<float>> results;
    if (results.size() > 4) results.clear();
    std::vector<unsigned> key;
    if (N > 0) sample(A, (size_t)M * N, key), sample(B, (size_t)N * K, key);
    std::vector<float>& result = results[key];
    if (result.size() != (size_t)M * K) {
        result.resize((size_t)M * K);
        multiply(A, B, result.data(), M, N, K);
    }
    std::copy(result.begin(), result.end(), C);
}
