// expect: suspicious
// fault: T2: Looks the result up by a hash of the inputs, MN + NK operations for MNK, and keeps all of them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "multiply.h"

static uint64_t hash(const float* matrix, size_t count, uint64_t value) {
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        std::memcpy(&bits, matrix + i, sizeof(bits));
        value = (value ^ bits) * 0x100000001b3;
    }
    return value;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static std::map<uint64_t, std::vector<float>> results;
    std::vector<float>& result = results[hash(B, (size_t)N * K, hash(A, (size_t)M * N, 1))];
    if (result.empty()) {
        result.resize((size_t)M * K);
        multiply(A, B, result.data(), M, N, K);
    }
    std::copy(result.begin(), result.end(), C);
}
