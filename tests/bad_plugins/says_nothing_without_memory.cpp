// expect: wrong
// fault: contract: Has a solve_last_error, which says nothing where there is no memory for the second of its buffers.
// note: allocation number 2 gets no memory, reports no error
#include <algorithm>
#include <memory>
#include <new>

#include "multiply.h"

static const char* error = nullptr;

extern "C" const char* solve_last_error() {
    return error;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    error = nullptr;
    const std::size_t elements = std::max<std::size_t>(1, (std::size_t)M * K);
    const std::unique_ptr<float[]> first(new (std::nothrow) float[elements]);
    if (!first) return void(error = "no memory for the product");
    const std::unique_ptr<float[]> second(new (std::nothrow) float[elements]);
    multiply(A, B, first.get(), M, N, K);
    if (second) std::copy_n(first.get(), (std::size_t)M * K, second.get());
    if (second) std::copy_n(second.get(), (std::size_t)M * K, C);
}
