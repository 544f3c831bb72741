// What abi/cublas/cublas_abi.h says of cuBLAS is what cuBLAS's own headers say, where they are.
#include "abi/cublas/cublas_abi.h"

#include <cstdio>
#include <type_traits>

#include "tests/catch.h"

#if __has_include(<cublas_v2.h>) && __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include <cublas_v2.h>

namespace {

// Whether two parameters are passed alike: pointers as pointers, an enum as an int, numbers of the same kind and size.
template <class Ours, class Theirs>
constexpr bool kAlike =
    std::is_pointer_v<Ours> || std::is_pointer_v<Theirs>
        ? std::is_pointer_v<Ours>&& std::is_pointer_v<Theirs>
        : sizeof(Ours) == sizeof(Theirs) && std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;

template <class Ours, class Theirs>
struct SameCall : std::false_type {};
template <class Result, class... Ours, class TheirResult, class... Theirs>
struct SameCall<Result(Ours...), TheirResult(Theirs...)>
    : std::bool_constant<sizeof...(Ours) == sizeof...(Theirs) && kAlike<Result, TheirResult>> {
    static constexpr bool parameters() {
        if constexpr (sizeof...(Ours) == sizeof...(Theirs)) return (kAlike<Ours, Theirs> && ...);
        return false;
    }
};

template <class Ours, class Theirs>
constexpr bool same() {
    return SameCall<Ours, Theirs>::value && SameCall<Ours, Theirs>::parameters();
}

// Of cublasGemmEx there is an older overload too, in C++ only: the one with a cublasComputeType_t is meant.
template <class Int>
using TheirGemmEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, Int, Int, Int, const void*,
                                   const void*, cudaDataType, Int, const void*, cudaDataType, Int, const void*, void*,
                                   cudaDataType, Int, cublasComputeType_t, cublasGemmAlgo_t);
template <class Int>
using TheirGemmBatchedEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, Int, Int, Int,
                                          const void*, const void* const[], cudaDataType, Int, const void* const[],
                                          cudaDataType, Int, const void*, void* const[], cudaDataType, Int, Int,
                                          cublasComputeType_t, cublasGemmAlgo_t);
template <class Int>
using TheirGemmStridedBatchedEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, Int, Int, Int,
                                                 const void*, const void*, cudaDataType, Int, long long, const void*,
                                                 cudaDataType, Int, long long, const void*, void*, cudaDataType, Int,
                                                 long long, Int, cublasComputeType_t, cublasGemmAlgo_t);

// There are such overloads.
static_assert(sizeof(static_cast<TheirGemmEx<int>*>(cublasGemmEx)) != 0);
static_assert(sizeof(static_cast<TheirGemmEx<int64_t>*>(cublasGemmEx_64)) != 0);
static_assert(sizeof(static_cast<TheirGemmBatchedEx<int>*>(cublasGemmBatchedEx)) != 0);
static_assert(sizeof(static_cast<TheirGemmBatchedEx<int64_t>*>(cublasGemmBatchedEx_64)) != 0);
static_assert(sizeof(static_cast<TheirGemmStridedBatchedEx<int>*>(cublasGemmStridedBatchedEx)) != 0);
static_assert(sizeof(static_cast<TheirGemmStridedBatchedEx<int64_t>*>(cublasGemmStridedBatchedEx_64)) != 0);

static_assert(same<cublas::GemmEx<int>, TheirGemmEx<int>>() && same<cublas::GemmEx<int64_t>, TheirGemmEx<int64_t>>());
static_assert(same<cublas::GemmBatchedEx<int>, TheirGemmBatchedEx<int>>());
static_assert(same<cublas::GemmBatchedEx<int64_t>, TheirGemmBatchedEx<int64_t>>());
static_assert(same<cublas::GemmStridedBatchedEx<int>, TheirGemmStridedBatchedEx<int>>());
static_assert(same<cublas::GemmStridedBatchedEx<int64_t>, TheirGemmStridedBatchedEx<int64_t>>());
static_assert(same<cublas::Sgemm<int>, decltype(cublasSgemm_v2)>());
static_assert(same<cublas::Sgemm<int64_t>, decltype(cublasSgemm_v2_64)>());
static_assert(same<cublas::SgemmBatched<int>, decltype(cublasSgemmBatched)>());
static_assert(same<cublas::SgemmBatched<int64_t>, decltype(cublasSgemmBatched_64)>());
static_assert(same<cublas::SgemmStridedBatched<int>, decltype(cublasSgemmStridedBatched)>());
static_assert(same<cublas::SgemmStridedBatched<int64_t>, decltype(cublasSgemmStridedBatched_64)>());
static_assert(same<cublas::SgemmEx<int>, decltype(cublasSgemmEx)>());
static_assert(same<cublas::SgemmEx<int64_t>, decltype(cublasSgemmEx_64)>());
static_assert(same<cublas::LtMatmul, decltype(cublasLtMatmul)>());
static_assert(same<cublas::GetAttribute, decltype(cublasLtMatmulDescGetAttribute)>());
static_assert(same<cublas::GetAttribute, decltype(cublasLtMatrixLayoutGetAttribute)>());
static_assert(same<cublas::Create, decltype(cublasCreate_v2)>() && same<cublas::Destroy, decltype(cublasDestroy_v2)>());
static_assert(same<cublas::SetStream, decltype(cublasSetStream_v2)>());
static_assert(same<cublas::SetWorkspace, decltype(cublasSetWorkspace_v2)>());
static_assert(same<cublas::GetStream, decltype(cublasGetStream_v2)>());
static_assert(same<cublas::GetMode, decltype(cublasGetMathMode)>());
static_assert(same<cublas::GetMode, decltype(cublasGetPointerMode_v2)>());

static_assert(int{cublas::kSuccess} == CUBLAS_STATUS_SUCCESS);
static_assert(int{cublas::kNotInitialized} == CUBLAS_STATUS_NOT_INITIALIZED);
static_assert(int{cublas::kExecutionFailed} == CUBLAS_STATUS_EXECUTION_FAILED);
static_assert(int{cublas::kN} == CUBLAS_OP_N && int{cublas::kT} == CUBLAS_OP_T && int{cublas::kC} == CUBLAS_OP_C);
static_assert(int{cublas::kHost} == CUBLAS_POINTER_MODE_HOST && int{cublas::kDevice} == CUBLAS_POINTER_MODE_DEVICE);
static_assert(int{cublas::kDefaultMath} == CUBLAS_DEFAULT_MATH && int{cublas::kPedanticMath} == CUBLAS_PEDANTIC_MATH);
static_assert(int{cublas::kTf32Math} == CUBLAS_TF32_TENSOR_OP_MATH);
static_assert(int{cublas::kDisallowReducedPrecision} == CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
static_assert(int{cublas::kCompute32} == CUBLAS_COMPUTE_32F);
static_assert(int{cublas::kCompute32Pedantic} == CUBLAS_COMPUTE_32F_PEDANTIC);
static_assert(int{cublas::kCompute32FastTf32} == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(int{cublas::kFloat} == CUDA_R_32F);
static_assert(int{cublas::kComputeType} == CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
static_assert(int{cublas::kScaleType} == CUBLASLT_MATMUL_DESC_SCALE_TYPE);
static_assert(int{cublas::kPointerMode} == CUBLASLT_MATMUL_DESC_POINTER_MODE);
static_assert(int{cublas::kTransposeA} == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(int{cublas::kTransposeB} == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(int{cublas::kTransposeC} == CUBLASLT_MATMUL_DESC_TRANSC);
static_assert(int{cublas::kFillMode} == CUBLASLT_MATMUL_DESC_FILL_MODE);
static_assert(int{cublas::kEpilogue} == CUBLASLT_MATMUL_DESC_EPILOGUE);
static_assert(int{cublas::kBiasPointer} == CUBLASLT_MATMUL_DESC_BIAS_POINTER);
static_assert(int{cublas::kBiasBatchStride} == CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
static_assert(int{cublas::kBiasType} == CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
static_assert(int{cublas::kAScale} == CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
static_assert(int{cublas::kBScale} == CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
static_assert(int{cublas::kCScale} == CUBLASLT_MATMUL_DESC_C_SCALE_POINTER);
static_assert(int{cublas::kDScale} == CUBLASLT_MATMUL_DESC_D_SCALE_POINTER);
static_assert(int{cublas::kDMaximum} == CUBLASLT_MATMUL_DESC_AMAX_D_POINTER);
static_assert(int{cublas::kType} == CUBLASLT_MATRIX_LAYOUT_TYPE && int{cublas::kOrder} == CUBLASLT_MATRIX_LAYOUT_ORDER);
static_assert(int{cublas::kRows} == CUBLASLT_MATRIX_LAYOUT_ROWS && int{cublas::kCols} == CUBLASLT_MATRIX_LAYOUT_COLS);
static_assert(int{cublas::kLeading} == CUBLASLT_MATRIX_LAYOUT_LD);
static_assert(int{cublas::kBatch} == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(int{cublas::kStride} == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(int{cublas::kPlane} == CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET);
#if CUBLAS_VERSION >= 130000
static_assert(cublas::kBatchMode == CUBLASLT_MATRIX_LAYOUT_BATCH_MODE);
#endif
static_assert(int{cublas::kOrderOfColumns} == CUBLASLT_ORDER_COL && int{cublas::kWhole} == CUBLAS_FILL_MODE_FULL);
static_assert(int{cublas::kEpilogueNone} == CUBLASLT_EPILOGUE_DEFAULT);
static_assert(int{cublas::kEpilogueBias} == CUBLASLT_EPILOGUE_BIAS);

}  // namespace

TEST_CASE("what the drop-in takes cuBLAS's interface for is what its headers say") {
    SUCCEED("checked when this was compiled");
}
#else
TEST_CASE("what the drop-in takes cuBLAS's interface for is what its headers say") {
    std::printf("SKIPPED: the drop-in's declarations against cuBLAS's headers: there is no cublas_v2.h\n");
}
#endif
