// cuBLAS on the CPU: OpenBLAS where it is installed, else a loop. Column-major, and synchronous as everything here.
#include "../include/cublas_v2.h"
#include "deferred.h"
#include "device_memory.h"

#include <dlfcn.h>

#include <cstring>
#include <vector>

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
    cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
};

namespace emulator {
namespace {

enum { kColumnMajor = 102, kNoTranspose = 111, kTranspose = 112 };  // of CBLAS

template <class T>
using Gemm = void (*)(int layout, int transa, int transb, int m, int n, int k, T alpha, const T* a, int lda, const T* b,
                      int ldb, T beta, T* c, int ldc);

// Opened at run time, so that a plugin builds and runs the same where there is no OpenBLAS. When the plugin is loaded,
// because OpenBLAS starts its threads then.
void* open_blas() {
    for (const char* name : {"libopenblas.so.0", "libopenblas.so"}) {
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    }
    return nullptr;
}
void* const blas = open_blas();

template <class T>
Gemm<T> find(const char* name) {
    return blas ? reinterpret_cast<Gemm<T>>(dlsym(blas, name)) : nullptr;
}
const Gemm<float> blas_gemm_float = find<float>("cblas_sgemm");
const Gemm<double> blas_gemm_double = find<double>("cblas_dgemm");
Gemm<float> blas_gemm(float) {
    return blas_gemm_float;
}
Gemm<double> blas_gemm(double) {
    return blas_gemm_double;
}

bool transposed(cublasOperation_t operation) {
    return operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

template <class T>
void loop_gemm(bool transa, bool transb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta,
               T* c, int ldc) {
    std::vector<T> column(m);
    for (int j = 0; j < n; ++j) {
        column.assign(m, 0);
        for (int p = 0; p < k; ++p) {
            const T right = transb ? b[j + size_t(p) * ldb] : b[p + size_t(j) * ldb];
            const T* const left = transa ? a + p : a + size_t(p) * lda;
            const size_t step = transa ? lda : 1;
            for (int i = 0; i < m; ++i) column[i] += left[i * step] * right;
        }
        T* const target = c + size_t(j) * ldc;
        for (int i = 0; i < m; ++i) target[i] = alpha * column[i] + (beta == 0 ? 0 : beta * target[i]);
    }
}

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                    const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
    wait_for_all_devices();  // deferred work; a product itself is not deferred
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    const bool left = transposed(transa), right = transposed(transb);
    const bool valid = m >= 0 && n >= 0 && k >= 0 && alpha && beta && lda >= std::max(1, left ? k : m) &&
                       ldb >= std::max(1, right ? n : k) && ldc >= std::max(1, m);
    if (!valid) return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    const DeviceAccess access;
    if (const Gemm<T> call = blas_gemm(T{})) {
        call(kColumnMajor, left ? kTranspose : kNoTranspose, right ? kTranspose : kNoTranspose, m, n, k, *alpha, a, lda,
             b, ldb, *beta, c, ldc);
    } else {
        loop_gemm(left, right, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
    }
    return cudaPeekAtLastError() == cudaErrorLaunchFailure ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

// ---- Matrices of 16-bit elements go through FP32 ----

float element(const void* matrix, cudaDataType type, size_t i) {
    switch (type) {
        case CUDA_R_16F:
            return static_cast<const __half*>(matrix)[i];
        case CUDA_R_16BF:
            return static_cast<const __nv_bfloat16*>(matrix)[i];
        default:
            return static_cast<const float*>(matrix)[i];
    }
}

bool is_float(cudaDataType type) {
    return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF;
}

std::vector<float> widened(const void* matrix, cudaDataType type, int rows, int cols, int ld) {
    std::vector<float> result(size_t(rows) * cols);
    for (int j = 0; j < cols; ++j) {
        for (int i = 0; i < rows; ++i) result[i + size_t(j) * rows] = element(matrix, type, i + size_t(j) * ld);
    }
    return result;
}

void narrow(const std::vector<float>& from, void* matrix, cudaDataType type, int rows, int cols, int ld) {
    for (int j = 0; j < cols; ++j) {
        for (int i = 0; i < rows; ++i) {
            const float value = from[i + size_t(j) * rows];
            const size_t to = i + size_t(j) * ld;
            if (type == CUDA_R_16F) {
                static_cast<__half*>(matrix)[to] = value;
            } else if (type == CUDA_R_16BF) {
                static_cast<__nv_bfloat16*>(matrix)[to] = value;
            } else {
                static_cast<float*>(matrix)[to] = value;
            }
        }
    }
}

cublasStatus_t mixed_gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                          int k, float alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                          cudaDataType type_b, int ldb, float beta, void* c, cudaDataType type_c, int ldc) {
    wait_for_all_devices();
    if (!is_float(type_a) || !is_float(type_b) || !is_float(type_c)) return CUBLAS_STATUS_NOT_SUPPORTED;
    const DeviceAccess access;
    const int rows_a = transposed(transa) ? k : m, rows_b = transposed(transb) ? n : k;
    const std::vector<float> left = widened(a, type_a, rows_a, m + k - rows_a, lda);
    const std::vector<float> right = widened(b, type_b, rows_b, k + n - rows_b, ldb);
    std::vector<float> product(size_t(m) * n);
    if (beta != 0) product = widened(c, type_c, m, n, ldc);
    const cublasStatus_t status = gemm<float>(handle, transa, transb, m, n, k, &alpha, left.data(), rows_a,
                                              right.data(), rows_b, &beta, product.data(), m);
    if (status == CUBLAS_STATUS_SUCCESS) narrow(product, c, type_c, m, n, ldc);
    return status;
}

cublasStatus_t copy_matrix(int rows, int cols, int size, const void* source, int lds, void* target, int ldt) {
    if (rows < 0 || cols < 0 || size <= 0 || lds < rows || ldt < rows) return CUBLAS_STATUS_INVALID_VALUE;
    const cudaError_t error = cudaMemcpy2D(target, size_t(ldt) * size, source, size_t(lds) * size, size_t(rows) * size,
                                           cols, cudaMemcpyDefault);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

cublasStatus_t copy_vector(int n, int size, const void* source, int source_step, void* target, int target_step) {
    if (n < 0 || size <= 0 || source_step <= 0 || target_step <= 0) return CUBLAS_STATUS_INVALID_VALUE;
    const cudaError_t error = cudaMemcpy2D(target, size_t(target_step) * size, source, size_t(source_step) * size, size,
                                           n, cudaMemcpyDefault);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

template <class T, class Field>
cublasStatus_t get(cublasHandle_t handle, T* value, Field field) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!value) return CUBLAS_STATUS_INVALID_VALUE;
    *value = handle->*field;
    return CUBLAS_STATUS_SUCCESS;
}

template <class T, class Field>
cublasStatus_t set(cublasHandle_t handle, T value, Field field) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->*field = value;
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace emulator

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    *handle = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
    if (!version) return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    return emulator::set(handle, stream, &cublasContext::stream);
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
    return emulator::get(handle, stream, &cublasContext::stream);
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
    return emulator::set(handle, mode, &cublasContext::pointer_mode);
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
    return emulator::get(handle, mode, &cublasContext::pointer_mode);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    return emulator::set(handle, mode, &cublasContext::math_mode);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
    return emulator::get(handle, mode, &cublasContext::math_mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t) {
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void*, size_t) {
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

const char* cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS:
            return "CUBLAS_STATUS_SUCCESS";
        case CUBLAS_STATUS_NOT_INITIALIZED:
            return "CUBLAS_STATUS_NOT_INITIALIZED";
        case CUBLAS_STATUS_INVALID_VALUE:
            return "CUBLAS_STATUS_INVALID_VALUE";
        case CUBLAS_STATUS_EXECUTION_FAILED:
            return "CUBLAS_STATUS_EXECUTION_FAILED";
        case CUBLAS_STATUS_NOT_SUPPORTED:
            return "CUBLAS_STATUS_NOT_SUPPORTED";
        default:
            return "a status that the emulator does not return";
    }
}
const char* cublasGetStatusString(cublasStatus_t status) {
    return cublasGetStatusName(status);
}

cublasStatus_t cublasSetVector(int n, int size, const void* source, int source_step, void* target, int target_step) {
    return emulator::copy_vector(n, size, source, source_step, target, target_step);
}
cublasStatus_t cublasGetVector(int n, int size, const void* source, int source_step, void* target, int target_step) {
    return emulator::copy_vector(n, size, source, source_step, target, target_step);
}
cublasStatus_t cublasSetMatrix(int rows, int cols, int size, const void* source, int lds, void* target, int ldt) {
    return emulator::copy_matrix(rows, cols, size, source, lds, target, ldt);
}
cublasStatus_t cublasGetMatrix(int rows, int cols, int size, const void* source, int lds, void* target, int ldt) {
    return emulator::copy_matrix(rows, cols, size, source, lds, target, ldt);
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                              int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                              const float* beta, float* c, int ldc) {
    return emulator::gemm(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                              int k, const double* alpha, const double* a, int lda, const double* b, int ldb,
                              const double* beta, double* c, int ldc) {
    return emulator::gemm(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           int k, const __half* alpha, const __half* a, int lda, const __half* b, int ldb,
                           const __half* beta, __half* c, int ldc) {
    return emulator::mixed_gemm(handle, transa, transb, m, n, k, *alpha, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb, *beta,
                                c, CUDA_R_16F, ldc);
}
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const float* alpha, const float* a, int lda,
                                         long long stride_a, const float* b, int ldb, long long stride_b,
                                         const float* beta, float* c, int ldc, long long stride_c, int batch) {
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < batch && status == CUBLAS_STATUS_SUCCESS; ++i) {
        status = emulator::gemm(handle, transa, transb, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb,
                                beta, c + i * stride_c, ldc);
    }
    return status;
}
cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                  int n, int k, const float* alpha, const float* const* a, int lda,
                                  const float* const* b, int ldb, const float* beta, float* const* c, int ldc,
                                  int batch) {
    const emulator::DeviceAccess access;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < batch && status == CUBLAS_STATUS_SUCCESS; ++i) {
        status = emulator::gemm(handle, transa, transb, m, n, k, alpha, a[i], lda, b[i], ldb, beta, c[i], ldc);
    }
    return status;
}
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                            int k, const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                            cudaDataType type_b, int ldb, const void* beta, void* c, cudaDataType type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
    if (!alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
    const bool half = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
    const auto scalar = [&](const void* value) { return emulator::element(value, half ? CUDA_R_16F : CUDA_R_32F, 0); };
    return emulator::mixed_gemm(handle, transa, transb, m, n, k, scalar(alpha), a, type_a, lda, b, type_b, ldb,
                                scalar(beta), c, type_c, ldc);
}
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const float* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                             cudaDataType type_b, int ldb, const float* beta, void* c, cudaDataType type_c, int ldc) {
    return emulator::mixed_gemm(handle, transa, transb, m, n, k, *alpha, a, type_a, lda, b, type_b, ldb, *beta, c,
                                type_c, ldc);
}

// The vectors as matrices of one row, with `inc` as the leading dimension.
cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float* alpha,
                              const float* a, int lda, const float* x, int incx, const float* beta, float* y,
                              int incy) {
    if (incx <= 0 || incy <= 0) return CUBLAS_STATUS_NOT_SUPPORTED;
    const bool transposed = emulator::transposed(trans);
    return emulator::gemm(handle, CUBLAS_OP_N, transposed ? CUBLAS_OP_N : CUBLAS_OP_T, 1, transposed ? n : m,
                          transposed ? m : n, alpha, x, incx, a, lda, beta, y, incy);
}

}  // extern "C"
