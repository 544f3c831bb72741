// What the drop-in needs of the C interface of cuBLAS 12 and 13, so that it builds where there is no CUDA Toolkit.
// tests/cublas holds it against cublas_v2.h and cublasLt.h where these are. An enum is passed as an int.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cublas {

using Handle = void*;  // of cuBLAS or cuBLASLt, and the latter's descriptors

enum Status : int { kSuccess = 0, kNotInitialized = 1, kExecutionFailed = 13 };
enum Operation : int { kN = 0, kT = 1, kC = 2 };
enum PointerMode : int { kHost = 0, kDevice = 1 };
enum Math : int { kDefaultMath = 0, kPedanticMath = 2, kTf32Math = 3, kDisallowReducedPrecision = 16 };
enum ComputeType : int { kCompute32 = 68, kCompute32Pedantic = 69, kCompute32FastTf32 = 77 };
enum DataType : int { kFloat = 0 };  // CUDA_R_32F

using Create = int(Handle*);
using Destroy = int(Handle);
using SetStream = int(Handle, void* stream);
using SetWorkspace = int(Handle, void* workspace, size_t bytes);
using GetStream = int(Handle, void** stream);
using SetMode = int(Handle, int);  // of pointers, or of the arithmetic
using GetMode = int(Handle, int*);

// Int is int, or int64_t for the entries whose names end in _64. Matrices lie in columns: C is m x n.
template <class Int>
using Sgemm = int(Handle, int transpose_a, int transpose_b, Int m, Int n, Int k, const float* alpha, const float* A,
                  Int lda, const float* B, Int ldb, const float* beta, float* C, Int ldc);
template <class Int>
using SgemmBatched = int(Handle, int transpose_a, int transpose_b, Int m, Int n, Int k, const float* alpha,
                         const float* const* A, Int lda, const float* const* B, Int ldb, const float* beta,
                         float* const* C, Int ldc, Int batch);
template <class Int>
using SgemmStridedBatched = int(Handle, int transpose_a, int transpose_b, Int m, Int n, Int k, const float* alpha,
                                const float* A, Int lda, long long stride_a, const float* B, Int ldb,
                                long long stride_b, const float* beta, float* C, Int ldc, long long stride_c,
                                Int batch);
template <class Int>
using SgemmEx = int(Handle, int transpose_a, int transpose_b, Int m, Int n, Int k, const float* alpha, const void* A,
                    int type_a, Int lda, const void* B, int type_b, Int ldb, const float* beta, void* C, int type_c,
                    Int ldc);
template <class Int>
using GemmEx = int(Handle, int transpose_a, int transpose_b, Int m, Int n, Int k, const void* alpha, const void* A,
                   int type_a, Int lda, const void* B, int type_b, Int ldb, const void* beta, void* C, int type_c,
                   Int ldc, int compute_type, int algorithm);
template <class Int>
using GemmBatchedEx = int(Handle, int transpose_a, int transpose_b, Int m, Int n, Int k, const void* alpha,
                          const void* const* A, int type_a, Int lda, const void* const* B, int type_b, Int ldb,
                          const void* beta, void* const* C, int type_c, Int ldc, Int batch, int compute_type,
                          int algorithm);
template <class Int>
using GemmStridedBatchedEx = int(Handle, int transpose_a, int transpose_b, Int m, Int n, Int k, const void* alpha,
                                 const void* A, int type_a, Int lda, long long stride_a, const void* B, int type_b,
                                 Int ldb, long long stride_b, const void* beta, void* C, int type_c, Int ldc,
                                 long long stride_c, Int batch, int compute_type, int algorithm);

// ---- cuBLASLt ------------------------------------------------------------------------------------------------------

// Attributes of a product's descriptor.
enum Of : int {
    kComputeType = 0,
    kScaleType = 1,
    kPointerMode = 2,
    kTransposeA = 3,
    kTransposeB = 4,
    kTransposeC = 5,
    kFillMode = 6,
    kEpilogue = 7,
    kBiasPointer = 8,
    kBiasBatchStride = 10,
    kAScale = 17,
    kBScale = 18,
    kCScale = 19,
    kDScale = 20,
    kDMaximum = 21,
    kBiasType = 26
};

// Attributes of a matrix's.
enum OfLayout : int { kType = 0, kOrder = 1, kRows = 2, kCols = 3, kLeading = 4, kBatch = 5, kStride = 6, kPlane = 7 };
constexpr int kBatchMode = 8;  // since 13.0

enum : int { kOrderOfColumns = 0, kWhole = 2, kEpilogueNone = 1, kEpilogueBias = 4 };

using GetAttribute = int(Handle descriptor, int attribute, void* value, size_t bytes, size_t* written);
using LtMatmul = int(Handle, Handle product, const void* alpha, const void* A, Handle layout_a, const void* B,
                     Handle layout_b, const void* beta, const void* C, Handle layout_c, void* D, Handle layout_d,
                     const void* algorithm, void* workspace, size_t workspace_bytes, void* stream);

}  // namespace cublas
