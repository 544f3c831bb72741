// What is the same in every plugin that takes host pointers and works with GPUs: the checks, the errors, the
// description, and that one call is worked on at a time.
#pragma once

#include <cstring>
#include <mutex>

#include "../export/export.h"
#include "failure.h"
#include "gpu.h"

namespace ladder {

// A call of solve: multiply(A, B, C, M, N, K) if there is something to multiply; when it returns C is written. The
// current GPU of the calling thread stays what it was.
template <class Multiply>
void solve_on_host(const float* A, const float* B, float* C, int M, int N, int K, Multiply multiply) {
    static std::mutex one_at_a_time;
    clear_error();
    if (!valid(A, B, C, M, N, K) || M == 0 || K == 0) return;
    if (N == 0) {
        std::memset(C, 0, sizeof(float) * size_t(M) * K);
        return;
    }
    const std::lock_guard lock(one_at_a_time);
    try {
        const CurrentGpu current;
        cudaGetLastError();  // an error left by an earlier call is not this call's
        multiply(A, B, C, M, N, K);
    } catch (const std::exception& error) {
        fail("%s", error.what());
    }
}

}  // namespace ladder

// The last line of a rung, by its function multiply(A, B, C, M, N, K), which throws what goes wrong:
//   SOLVE_EXPORT_HOST(rung_multi_10::multiply, .summary = "...", .source = "...")
// By the section the host recognises a library with GPU code that wants host pointers, without loading it; by the name
// the emulator, which keeps kernels from the matrices then.
#define SOLVE_EXPORT_HOST(multiply, ...) SOLVE_IF_COMPILED(SOLVE_DEFINE_HOST(multiply, __VA_ARGS__))
#define SOLVE_DEFINE_HOST(multiply, ...)                                                               \
    extern "C" {                                                                                       \
    __attribute__((section(".solve.host_memory"), used)) extern const char matrices_in_host_memory[] = \
        "matrices in host memory";                                                                     \
    }                                                                                                  \
    SOLVE_DESCRIBE_IN(SOLVE_MEMORY_HOST, __VA_ARGS__)                                                  \
    extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {             \
        ladder::solve_on_host(A, B, C, M, N, K, multiply);                                             \
    }
