// The functions of libcublas that the drop-in interposes. Each describes the call that it got, and has it answered.
#include "arithmetic.h"
#include "cublas_abi.h"
#include "real.h"
#include "serve.h"
#include "workspaces.h"

namespace drop_in {

namespace {

// What cuBLAS knows of a handle, found out before the first call with it that may be ours.
void read_handle(Call& call, cublas::Handle handle, int compute) {
    static auto* const get_pointer_mode = real<cublas::GetMode>("cublasGetPointerMode_v2");
    static auto* const get_math_mode = real<cublas::GetMode>("cublasGetMathMode");
    static auto* const get_stream = real<cublas::GetStream>("cublasGetStream_v2");
    int pointer_mode = 0, math = 0;
    call.reads_factors = false;
    if (!handle || !get_pointer_mode || !get_math_mode || !get_stream ||
        get_pointer_mode(handle, &pointer_mode) != cublas::kSuccess ||
        get_math_mode(handle, &math) != cublas::kSuccess || get_stream(handle, &call.stream) != cublas::kSuccess) {
        call.not_ours = "no handle that cuBLAS knows";
        return;
    }
    call.reads_factors = pointer_mode == cublas::kHost;
    call.is_pedantic = is_pedantic(math, compute);
    if (call.not_ours) return;
    const Workspace workspace = workspace_of(handle);
    call.workspace = workspace.data, call.workspace_bytes = workspace.bytes;
    call.not_ours = call.reads_factors ? not_fp32(math, compute) : "alpha and beta are in the GPU's memory";
}

// The sizes of a call, and its one product or the first of many.
template <class Int>
struct Sizes {
    const char* entry;
    cublas::Handle handle;
    int transpose_a, transpose_b;
    Int m, n, k;
    const void *alpha, *beta;
    Int lda, ldb, ldc;
    Int batch = 1;
    int type_a = cublas::kFloat, type_b = cublas::kFloat, type_c = cublas::kFloat;
    int compute = cublas::kCompute32;
};

template <class Int>
Call begin(const Sizes<Int>& sizes) {
    Call call;
    call.entry = sizes.entry;
    call.transpose_a = sizes.transpose_a, call.transpose_b = sizes.transpose_b;
    call.m = sizes.m, call.n = sizes.n, call.k = sizes.k, call.batch = sizes.batch;
    call.lda = sizes.lda, call.ldb = sizes.ldb, call.ldc = sizes.ldc;
    call.alpha = static_cast<const float*>(sizes.alpha), call.beta = static_cast<const float*>(sizes.beta);
    if (sizes.type_a != cublas::kFloat || sizes.type_b != cublas::kFloat || sizes.type_c != cublas::kFloat) {
        call.is_fp32 = false;
        call.not_ours = "not FP32";
        return call;
    }
    read_handle(call, sizes.handle, sizes.compute);
    return call;
}

template <class Int>
Call matrices(const Sizes<Int>& sizes, const void* A, const void* B, void* C, long long stride_a = 0,
              long long stride_b = 0, long long stride_c = 0) {
    Call call = begin(sizes);
    call.A = static_cast<const float*>(A), call.B = static_cast<const float*>(B), call.C = static_cast<float*>(C);
    call.stride_a = stride_a, call.stride_b = stride_b, call.stride_c = stride_c;
    return call;
}

template <class Int>
Call arrays(const Sizes<Int>& sizes, const void* A, const void* B, const void* C) {
    Call call = begin(sizes);
    call.has_arrays = true;
    call.A_array = static_cast<const float* const*>(A), call.B_array = static_cast<const float* const*>(B);
    call.C_array = static_cast<float* const*>(C);
    return call;
}

}  // namespace

}  // namespace drop_in

// The same body for a function and for its namesake with 64-bit integers.
#define SGEMM(NAME, INT)                                                                                          \
    extern "C" int NAME(cublas::Handle handle, int ta, int tb, INT m, INT n, INT k, const float* alpha,           \
                        const float* A, INT lda, const float* B, INT ldb, const float* beta, float* C, INT ldc) { \
        using namespace drop_in;                                                                                  \
        static auto* const cublas_function = real<cublas::Sgemm<INT>>(#NAME);                                     \
        const auto describe = [&] {                                                                               \
            return matrices(Sizes<INT>{#NAME, handle, ta, tb, m, n, k, alpha, beta, lda, ldb, ldc}, A, B, C);     \
        };                                                                                                        \
        return answer(cublas_function, describe, handle, ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);   \
    }

#define SGEMM_BATCHED(NAME, INT)                                                                                       \
    extern "C" int NAME(cublas::Handle handle, int ta, int tb, INT m, INT n, INT k, const float* alpha,                \
                        const float* const* A, INT lda, const float* const* B, INT ldb, const float* beta,             \
                        float* const* C, INT ldc, INT batch) {                                                         \
        using namespace drop_in;                                                                                       \
        static auto* const cublas_function = real<cublas::SgemmBatched<INT>>(#NAME);                                   \
        const auto describe = [&] {                                                                                    \
            return arrays(Sizes<INT>{#NAME, handle, ta, tb, m, n, k, alpha, beta, lda, ldb, ldc, batch}, A, B, C);     \
        };                                                                                                             \
        return answer(cublas_function, describe, handle, ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch); \
    }

#define SGEMM_STRIDED_BATCHED(NAME, INT)                                                                             \
    extern "C" int NAME(cublas::Handle handle, int ta, int tb, INT m, INT n, INT k, const float* alpha,              \
                        const float* A, INT lda, long long stride_a, const float* B, INT ldb, long long stride_b,    \
                        const float* beta, float* C, INT ldc, long long stride_c, INT batch) {                       \
        using namespace drop_in;                                                                                     \
        static auto* const cublas_function = real<cublas::SgemmStridedBatched<INT>>(#NAME);                          \
        const auto describe = [&] {                                                                                  \
            return matrices(Sizes<INT>{#NAME, handle, ta, tb, m, n, k, alpha, beta, lda, ldb, ldc, batch}, A, B, C,  \
                            stride_a, stride_b, stride_c);                                                           \
        };                                                                                                           \
        return answer(cublas_function, describe, handle, ta, tb, m, n, k, alpha, A, lda, stride_a, B, ldb, stride_b, \
                      beta, C, ldc, stride_c, batch);                                                                \
    }

#define SGEMM_EX(NAME, INT)                                                                                            \
    extern "C" int NAME(cublas::Handle handle, int ta, int tb, INT m, INT n, INT k, const float* alpha, const void* A, \
                        int type_a, INT lda, const void* B, int type_b, INT ldb, const float* beta, void* C,           \
                        int type_c, INT ldc) {                                                                         \
        using namespace drop_in;                                                                                       \
        static auto* const cublas_function = real<cublas::SgemmEx<INT>>(#NAME);                                        \
        const auto describe = [&] {                                                                                    \
            return matrices(                                                                                           \
                Sizes<INT>{#NAME, handle, ta, tb, m, n, k, alpha, beta, lda, ldb, ldc, 1, type_a, type_b, type_c}, A,  \
                B, C);                                                                                                 \
        };                                                                                                             \
        return answer(cublas_function, describe, handle, ta, tb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta, \
                      C, type_c, ldc);                                                                                 \
    }

#define GEMM_EX(NAME, INT)                                                                                             \
    extern "C" int NAME(cublas::Handle handle, int ta, int tb, INT m, INT n, INT k, const void* alpha, const void* A,  \
                        int type_a, INT lda, const void* B, int type_b, INT ldb, const void* beta, void* C,            \
                        int type_c, INT ldc, int compute, int algorithm) {                                             \
        using namespace drop_in;                                                                                       \
        static auto* const cublas_function = real<cublas::GemmEx<INT>>(#NAME);                                         \
        const auto describe = [&] {                                                                                    \
            return matrices(Sizes<INT>{#NAME, handle, ta, tb, m, n, k, alpha, beta, lda, ldb, ldc, 1, type_a, type_b,  \
                                       type_c, compute},                                                               \
                            A, B, C);                                                                                  \
        };                                                                                                             \
        return answer(cublas_function, describe, handle, ta, tb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta, \
                      C, type_c, ldc, compute, algorithm);                                                             \
    }

#define GEMM_BATCHED_EX(NAME, INT)                                                                                     \
    extern "C" int NAME(cublas::Handle handle, int ta, int tb, INT m, INT n, INT k, const void* alpha,                 \
                        const void* const* A, int type_a, INT lda, const void* const* B, int type_b, INT ldb,          \
                        const void* beta, void* const* C, int type_c, INT ldc, INT batch, int compute,                 \
                        int algorithm) {                                                                               \
        using namespace drop_in;                                                                                       \
        static auto* const cublas_function = real<cublas::GemmBatchedEx<INT>>(#NAME);                                  \
        const auto describe = [&] {                                                                                    \
            return arrays(Sizes<INT>{#NAME, handle, ta, tb, m, n, k, alpha, beta, lda, ldb, ldc, batch, type_a,        \
                                     type_b, type_c, compute},                                                         \
                          A, B, C);                                                                                    \
        };                                                                                                             \
        return answer(cublas_function, describe, handle, ta, tb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta, \
                      C, type_c, ldc, batch, compute, algorithm);                                                      \
    }

#define GEMM_STRIDED_BATCHED_EX(NAME, INT)                                                                            \
    extern "C" int NAME(cublas::Handle handle, int ta, int tb, INT m, INT n, INT k, const void* alpha, const void* A, \
                        int type_a, INT lda, long long stride_a, const void* B, int type_b, INT ldb,                  \
                        long long stride_b, const void* beta, void* C, int type_c, INT ldc, long long stride_c,       \
                        INT batch, int compute, int algorithm) {                                                      \
        using namespace drop_in;                                                                                      \
        static auto* const cublas_function = real<cublas::GemmStridedBatchedEx<INT>>(#NAME);                          \
        const auto describe = [&] {                                                                                   \
            return matrices(Sizes<INT>{#NAME, handle, ta, tb, m, n, k, alpha, beta, lda, ldb, ldc, batch, type_a,     \
                                       type_b, type_c, compute},                                                      \
                            A, B, C, stride_a, stride_b, stride_c);                                                   \
        };                                                                                                            \
        return answer(cublas_function, describe, handle, ta, tb, m, n, k, alpha, A, type_a, lda, stride_a, B, type_b, \
                      ldb, stride_b, beta, C, type_c, ldc, stride_c, batch, compute, algorithm);                      \
    }

SGEMM(cublasSgemm_v2, int)
SGEMM(cublasSgemm_v2_64, int64_t)
SGEMM_BATCHED(cublasSgemmBatched, int)
SGEMM_BATCHED(cublasSgemmBatched_64, int64_t)
SGEMM_STRIDED_BATCHED(cublasSgemmStridedBatched, int)
SGEMM_STRIDED_BATCHED(cublasSgemmStridedBatched_64, int64_t)
SGEMM_EX(cublasSgemmEx, int)
SGEMM_EX(cublasSgemmEx_64, int64_t)
GEMM_EX(cublasGemmEx, int)
GEMM_EX(cublasGemmEx_64, int64_t)
GEMM_BATCHED_EX(cublasGemmBatchedEx, int)
GEMM_BATCHED_EX(cublasGemmBatchedEx_64, int64_t)
GEMM_STRIDED_BATCHED_EX(cublasGemmStridedBatchedEx, int)
GEMM_STRIDED_BATCHED_EX(cublasGemmStridedBatchedEx_64, int64_t)
