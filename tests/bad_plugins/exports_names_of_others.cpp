// expect: ok
// fault: F29: Exports names of the C library and of the host, for itself; nobody else may get them.
#include <cstdlib>
#include <string>

#include "multiply.h"

extern "C" __attribute__((noreturn)) int main() {
    std::abort();
}

extern "C" __attribute__((noreturn)) long write(int, const void*, unsigned long) {
    std::abort();
}

namespace judge {
__attribute__((noreturn)) void run_worker(const std::string&) {
    std::abort();
}
}  // namespace judge

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
