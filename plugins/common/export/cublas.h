// The row-major product by cuBLAS, in an arithmetic that the caller names.
#pragma once

#include <cublas_v2.h>

#include <mutex>

#include "gemm.h"
#include "workspace.h"

namespace ladder {

// The current device's handle, or null with the error recorded. Two a device for the whole process, because creating
// one takes milliseconds and tens of megabytes of workspace:
//   kDefaultStream  for work on the default stream. Threads may share it because nobody changes its settings after its
//                   creation, and because all its work goes to one stream, which keeps two products from sharing the
//                   workspace at one time.
//   kAnyStream      for work on other streams, which sets its stream and workspace at each call, under a lock.
// Never destroyed: at exit the CUDA runtime may be gone before us.
enum CublasUse { kDefaultStream, kAnyStream };

inline cublasHandle_t cublas_handle(CublasUse use) {
    static std::mutex mutex;
    static cublasHandle_t handles[kMostDevices][2] = {};

    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess || device >= kMostDevices) {
        fail("cudaGetDevice: %s, device %d", cudaGetErrorString(error), device);
        return nullptr;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    cublasHandle_t& handle = handles[device][use];
    if (handle == nullptr) {
        const UnderCapture allowed;
        const cublasStatus_t status = cublasCreate(&handle);
        if (status != CUBLAS_STATUS_SUCCESS) {
            fail("cublasCreate: %s", cublasGetStatusString(status));
            handle = nullptr;
        }
    }
    return handle;
}

// cuBLAS expects columns where we have rows. A row-major X, read column by column with the same leading dimension, is
// its transpose X'. So the library sees A' (N x M), B' (K x N) and C' (K x M), and
//     C = A * B   is the same statement as   C' = B' * A':
// hand over B first, then A, with the sizes of C' (K, M) and the contraction N; the leading dimensions stay. The _64
// entry takes 64-bit sizes, for matrices of more than 2^31 elements. The stream is the handle's.
inline void cublas_gemm(cublasHandle_t handle, const Gemm& gemm, cublasComputeType_t arithmetic) {
    const cublasStatus_t status = cublasGemmEx_64(
        handle, CUBLAS_OP_N, CUBLAS_OP_N, gemm.K, gemm.M, gemm.N, &gemm.alpha, gemm.B, CUDA_R_32F, gemm.ldb, gemm.A,
        CUDA_R_32F, gemm.lda, &gemm.beta, gemm.C, CUDA_R_32F, gemm.ldc, arithmetic, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS) fail("cublasGemmEx: %s", cublasGetStatusString(status));
}

// On a stream of the caller's. Another thread must not set another stream between our setting
// it and the product, hence the lock; nothing waits for the GPU under it. The workspace is the call's own: the handle's
// is one pool for all streams, from which concurrent products are served as it comes, and the same call may then give
// other bits (cuBLAS, "Results Reproducibility"). Without memory for one it is the pool's.
inline void cublas_on_stream(const Gemm& gemm, cublasComputeType_t arithmetic) {
    constexpr size_t kWorkspace = 32 << 20;  // bytes: what the library recommends for the GPU that asks for most, sm_90
    static std::mutex mutex;
    const cublasHandle_t handle = cublas_handle(kAnyStream);
    if (handle == nullptr) return;
    const Workspace workspace(kWorkspace, gemm.stream);
    const std::lock_guard<std::mutex> lock(mutex);
    cublasStatus_t status = cublasSetStream(handle, gemm.stream);  // this also takes back the last call's workspace
    if (status == CUBLAS_STATUS_SUCCESS && workspace.data() != nullptr) {
        status = cublasSetWorkspace(handle, workspace.data(), kWorkspace);
    }
    if (status == CUBLAS_STATUS_SUCCESS) {
        cublas_gemm(handle, gemm, arithmetic);
    } else {
        fail("cublasSetStream, cublasSetWorkspace: %s", cublasGetStatusString(status));
    }
}

// C = alpha * A * B + beta * C. What goes wrong is recorded.
inline void cublas_multiply(const Gemm& gemm, cublasComputeType_t arithmetic) {
    if (gemm.stream != nullptr) return cublas_on_stream(gemm, arithmetic);
    const cublasHandle_t handle = cublas_handle(kDefaultStream);
    if (handle != nullptr) cublas_gemm(handle, gemm, arithmetic);
}

}  // namespace ladder
