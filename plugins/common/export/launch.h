// What is the same in every CUDA rung: the checks before the launch, the check after it, and the metadata.
// Nothing here is about how to multiply.
#pragma once

#include <cuda_runtime.h>

#include "device.h"
#include "export.h"

namespace ladder {

constexpr __host__ __device__ int ceil_div(int a, int b) {
    return a / b + (a % b != 0);
}

// What an empty sum is: C, dense, = 0.
inline void set_zero(float* C, size_t elements, cudaStream_t stream = nullptr) {
    const cudaError_t error = cudaMemsetAsync(C, 0, sizeof(float) * elements, stream);
    if (error != cudaSuccess) fail("cudaMemsetAsync: %s", cudaGetErrorString(error));
}

// Starts a call: forgets the last error, checks the arguments, and settles the products that need no kernel.
// Returns true if the caller must launch one.
inline bool begin(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream = nullptr) {
    clear_error();
    cudaGetLastError();  // an error left by an earlier call is not this call's
    if (!valid(A, B, C, M, N, K) || M == 0 || K == 0) return false;
    if (N > 0) return true;
    set_zero(C, size_t(M) * K, stream);
    return false;
}

// Ends a call: records why the launch failed and returns false, or returns true.
inline bool finish() {
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) fail("launch failed: %s (%s)", cudaGetErrorString(error), cudaGetErrorName(error));
    return error == cudaSuccess;
}

// Records that the device is older than compute capability `capability` / 10 and returns false, or returns true.
inline bool supports(int capability) {
    const DeviceFigures device = current_device();
    if (device.error != cudaSuccess) {
        return fail("cudaDeviceGetAttribute: %s", cudaGetErrorString(device.error)), false;
    }
    if (device.capability >= capability) return true;
    return fail("needs sm_%d, this device is sm_%d", capability, device.capability), false;
}

// True if every row of the matrix starts at a multiple of 16 bytes. If its row length is a multiple of 4 as well, as
// it is where it equals ld, any four floats from a column 0, 4, 8, ... can be moved at once: they are aligned and lie
// in one row. With ld = 6 row 1 would start at byte 24.
inline bool aligned16(const float* matrix, int64_t ld) {
    return reinterpret_cast<uintptr_t>(matrix) % 16 == 0 && ld % 4 == 0;
}

// gridDim.y ends at 65535, so a C with more rows of tiles than that takes several launches: calls
// launch(first_row, rows) for one slab of rows after another. Nearly always that is launch(0, M).
template <class Launch>
void for_each_slab(int M, int tile_rows, Launch launch) {
    const int64_t slab = int64_t{65535} * tile_rows;
    for (int64_t row = 0; row < M; row += slab) {
        launch(row, static_cast<int>(M - row < slab ? M - row : slab));
    }
}

// A call of solve: multiply(A, B, C, M, N, K) if there is something to multiply on a device that the rung is for.
template <class Multiply>
void solve(const float* A, const float* B, float* C, int M, int N, int K, uint32_t capability, Multiply multiply) {
    if (!begin(A, B, C, M, N, K) || !supports(static_cast<int>(capability))) return;
    multiply(A, B, C, M, N, K);
    finish();
}

#ifdef SOLVE_EMULATOR
constexpr uint32_t kMemory = SOLVE_MEMORY_HOST;
#else
constexpr uint32_t kMemory = SOLVE_MEMORY_DEVICE;
#endif

}  // namespace ladder

// The last line of a rung that has solve alone, by its function multiply(A, B, C, M, N, K), which is called with M, N
// and K of at least 1 and launches the kernel on the default stream:
//   SOLVE_EXPORT(rung_10::multiply, .summary = "...", .source = "...", .minimum_compute_capability = 80)
#define SOLVE_EXPORT(multiply, ...) SOLVE_IF_COMPILED(SOLVE_DEFINE(multiply, __VA_ARGS__))
#define SOLVE_DEFINE(multiply, ...)                                                              \
    SOLVE_DESCRIBE(__VA_ARGS__)                                                                  \
    extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {       \
        ladder::solve(A, B, C, M, N, K, solve_description.minimum_compute_capability, multiply); \
    }

// A CUDA plugin's description alone, for one that defines its entries itself.
#define SOLVE_DESCRIBE(...) SOLVE_DESCRIBE_IN(ladder::kMemory, __VA_ARGS__)
