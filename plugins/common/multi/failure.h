// What ends a call of a plugin that works with several GPUs: an exception, whose text solve_last_error gives.
#pragma once

#include <cuda_runtime.h>

#include <cstdarg>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace ladder {

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What the plugin needs is not there: SOLVE_UNSUPPORTED, for whatever sizes.
struct Unsupported : Failure {
    using Failure::Failure;
};

[[noreturn]] __attribute__((format(printf, 1, 2))) inline void give_up(const char* format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    throw Failure(text);
}

// Throws what went wrong, with the GPU that was current.
inline void must(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    int device = -1;
    cudaGetDevice(&device);
    cudaGetLastError();
    give_up("GPU %d: %s: %s (%s)", device, what, cudaGetErrorString(error), cudaGetErrorName(error));
}

}  // namespace ladder
