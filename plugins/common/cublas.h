// The row-major product by cuBLAS, in an arithmetic that the caller names.
#pragma once

#include <cublas_v2.h>

#include <mutex>

#include "launch.h"

namespace ladder {

// The current device's handle, or null with the error recorded. One handle a device for the whole process: creating
// one takes milliseconds and tens of megabytes of workspace. Threads may share it because nobody changes its settings
// after its creation, and because all its work goes to one stream, which keeps two products from sharing the workspace
// at one time. Never destroyed: at exit the CUDA runtime may be gone before us.
inline cublasHandle_t cublas_handle() {
    constexpr int kMostDevices = 64;
    static std::mutex mutex;
    static cublasHandle_t handles[kMostDevices] = {};

    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess || device >= kMostDevices) {
        fail("cudaGetDevice: %s, device %d", cudaGetErrorString(error), device);
        return nullptr;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    if (handles[device] == nullptr) {
        const cublasStatus_t status = cublasCreate(&handles[device]);
        if (status != CUBLAS_STATUS_SUCCESS) {
            fail("cublasCreate: %s", cublasGetStatusString(status));
            handles[device] = nullptr;
        }
    }
    return handles[device];
}

// C = A * B. cuBLAS expects columns where we have rows. A row-major X, read column by column with the same leading
// dimension, is its transpose X'. So the library sees A' (N x M), B' (K x N) and C' (K x M), and
//     C = A * B   is the same statement as   C' = B' * A':
// hand over B first, then A, with the sizes of C' (K, M) and the contraction N; every leading dimension is our row
// length. The _64 entry takes 64-bit sizes, for matrices of more than 2^31 elements.
inline void cublas_multiply(const float* A, const float* B, float* C, int M, int N, int K,
                            cublasComputeType_t arithmetic) {
    const cublasHandle_t handle = cublas_handle();
    if (handle == nullptr) return;
    const float one = 1.0f, zero = 0.0f;
    const cublasStatus_t status =
        cublasGemmEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, K, M, N, &one, B, CUDA_R_32F, K, A, CUDA_R_32F, N, &zero, C,
                        CUDA_R_32F, K, arithmetic, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS) fail("cublasGemmEx: %s", cublasGetStatusString(status));
}

}  // namespace ladder
