// A cuBLAS and cuBLASLt that multiply on the CPU, by the definition and in double precision, and count what they are
// asked for: what stands behind the drop-in in its tests. Errors are those of cuBLAS for the arguments that tests use.
#include <atomic>
#include <cstring>
#include <map>

#include "abi/cublas/cublas_abi.h"

namespace {

struct FakeHandle {
    int pointer_mode = cublas::kHost, math = cublas::kDefaultMath;
    void* stream = nullptr;
};

std::atomic<int> calls{0};

constexpr int kInvalid = 7;

// One product by columns; column j of C gets bias[i] in row i.
void multiply(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha, const float* A, int64_t lda,
              const float* B, int64_t ldb, float beta, float* C, int64_t ldc, const float* bias = nullptr) {
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < m; ++i) {
            double sum = 0;
            for (int64_t p = 0; p < k; ++p) {
                sum += double(ta ? A[i * lda + p] : A[p * lda + i]) * (tb ? B[p * ldb + j] : B[j * ldb + p]);
            }
            sum = alpha * sum + (beta != 0 ? double(beta) * C[j * ldc + i] : 0) + (bias ? bias[i] : 0);
            C[j * ldc + i] = static_cast<float>(sum);
        }
    }
}

int check(cublas::Handle handle, int ta, int tb, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc,
          int64_t batch) {
    if (!handle) return cublas::kNotInitialized;
    if (ta < 0 || ta > 2 || tb < 0 || tb > 2 || m < 0 || n < 0 || k < 0 || batch < 0 || lda < (ta ? k : m) ||
        ldb < (tb ? n : k) || ldc < m) {
        return kInvalid;
    }
    return cublas::kSuccess;
}

// The products i of a batch, of which matrix(i) are.
template <class At>
int batched(cublas::Handle handle, int ta, int tb, int64_t m, int64_t n, int64_t k, const void* alpha, int64_t lda,
            int64_t ldb, const void* beta, int64_t ldc, int64_t batch, At at) {
    ++calls;
    if (const int wrong = check(handle, ta, tb, m, n, k, lda, ldb, ldc, batch)) return wrong;
    for (int64_t i = 0; i < batch; ++i) {
        const auto [A, B, C] = at(i);
        multiply(ta != 0, tb != 0, m, n, k, *static_cast<const float*>(alpha), A, lda, B, ldb,
                 *static_cast<const float*>(beta), C, ldc);
    }
    return cublas::kSuccess;
}

struct Matrices {
    const float *A, *B;
    float* C;
};

auto strided(const void* A, int64_t stride_a, const void* B, int64_t stride_b, void* C, int64_t stride_c) {
    return [=](int64_t i) {
        return Matrices{static_cast<const float*>(A) + i * stride_a, static_cast<const float*>(B) + i * stride_b,
                        static_cast<float*>(C) + i * stride_c};
    };
}

auto arrays(const void* const* A, const void* const* B, void* const* C) {
    return [=](int64_t i) {
        return Matrices{static_cast<const float*>(A[i]), static_cast<const float*>(B[i]), static_cast<float*>(C[i])};
    };
}

FakeHandle& of(cublas::Handle handle) {
    return *static_cast<FakeHandle*>(handle);
}

}  // namespace

extern "C" {

// How many products were asked for since the last time.
int fake_cublas_calls() {
    return calls.exchange(0);
}

int cublasCreate_v2(cublas::Handle* handle) {
    return *handle = new FakeHandle, cublas::kSuccess;
}
int cublasDestroy_v2(cublas::Handle handle) {
    return delete static_cast<FakeHandle*>(handle), cublas::kSuccess;
}
int cublasSetStream_v2(cublas::Handle handle, void* stream) {
    return of(handle).stream = stream, cublas::kSuccess;
}
int cublasSetWorkspace_v2(cublas::Handle, void*, size_t bytes) {
    return bytes == 1 ? kInvalid : cublas::kSuccess;
}
int cublasGetStream_v2(cublas::Handle handle, void** stream) {
    return *stream = of(handle).stream, cublas::kSuccess;
}
int cublasSetPointerMode_v2(cublas::Handle handle, int mode) {
    return of(handle).pointer_mode = mode, cublas::kSuccess;
}
int cublasGetPointerMode_v2(cublas::Handle handle, int* mode) {
    return *mode = of(handle).pointer_mode, cublas::kSuccess;
}
int cublasSetMathMode(cublas::Handle handle, int mode) {
    return of(handle).math = mode, cublas::kSuccess;
}
int cublasGetMathMode(cublas::Handle handle, int* mode) {
    return *mode = of(handle).math, cublas::kSuccess;
}

#define FAKE_OF(SUFFIX, INT)                                                                                          \
    int cublasSgemm_v2##SUFFIX(cublas::Handle h, int ta, int tb, INT m, INT n, INT k, const float* alpha,             \
                               const float* A, INT lda, const float* B, INT ldb, const float* beta, float* C,         \
                               INT ldc) {                                                                             \
        return batched(h, ta, tb, m, n, k, alpha, lda, ldb, beta, ldc, 1, strided(A, 0, B, 0, C, 0));                 \
    }                                                                                                                 \
    int cublasSgemmBatched##SUFFIX(cublas::Handle h, int ta, int tb, INT m, INT n, INT k, const float* alpha,         \
                                   const float* const* A, INT lda, const float* const* B, INT ldb, const float* beta, \
                                   float* const* C, INT ldc, INT batch) {                                             \
        return batched(h, ta, tb, m, n, k, alpha, lda, ldb, beta, ldc, batch, [=](int64_t i) {                        \
            return Matrices{A[i], B[i], C[i]};                                                                        \
        });                                                                                                           \
    }                                                                                                                 \
    int cublasSgemmStridedBatched##SUFFIX(cublas::Handle h, int ta, int tb, INT m, INT n, INT k, const float* alpha,  \
                                          const float* A, INT lda, long long sa, const float* B, INT ldb,             \
                                          long long sb, const float* beta, float* C, INT ldc, long long sc,           \
                                          INT batch) {                                                                \
        return batched(h, ta, tb, m, n, k, alpha, lda, ldb, beta, ldc, batch, strided(A, sa, B, sb, C, sc));          \
    }                                                                                                                 \
    int cublasSgemmEx##SUFFIX(cublas::Handle h, int ta, int tb, INT m, INT n, INT k, const float* alpha,              \
                              const void* A, int, INT lda, const void* B, int, INT ldb, const float* beta, void* C,   \
                              int, INT ldc) {                                                                         \
        /* by its own name, as cuBLAS calls cublasLtMatmul */                                                         \
        return cublasSgemm_v2##SUFFIX(h, ta, tb, m, n, k, alpha, static_cast<const float*>(A), lda,                   \
                                      static_cast<const float*>(B), ldb, beta, static_cast<float*>(C), ldc);          \
    }                                                                                                                 \
    int cublasGemmEx##SUFFIX(cublas::Handle h, int ta, int tb, INT m, INT n, INT k, const void* alpha, const void* A, \
                             int type_a, INT lda, const void* B, int, INT ldb, const void* beta, void* C, int,        \
                             INT ldc, int, int) {                                                                     \
        if (type_a != cublas::kFloat) return ++calls, cublas::kSuccess; /* the halves that nobody looks at */         \
        return batched(h, ta, tb, m, n, k, alpha, lda, ldb, beta, ldc, 1, strided(A, 0, B, 0, C, 0));                 \
    }                                                                                                                 \
    int cublasGemmBatchedEx##SUFFIX(cublas::Handle h, int ta, int tb, INT m, INT n, INT k, const void* alpha,         \
                                    const void* const* A, int, INT lda, const void* const* B, int, INT ldb,           \
                                    const void* beta, void* const* C, int, INT ldc, INT batch, int, int) {            \
        return batched(h, ta, tb, m, n, k, alpha, lda, ldb, beta, ldc, batch, arrays(A, B, C));                       \
    }                                                                                                                 \
    int cublasGemmStridedBatchedEx##SUFFIX(cublas::Handle h, int ta, int tb, INT m, INT n, INT k, const void* alpha,  \
                                           const void* A, int, INT lda, long long sa, const void* B, int, INT ldb,    \
                                           long long sb, const void* beta, void* C, int, INT ldc, long long sc,       \
                                           INT batch, int, int) {                                                     \
        return batched(h, ta, tb, m, n, k, alpha, lda, ldb, beta, ldc, batch, strided(A, sa, B, sb, C, sc));          \
    }

FAKE_OF(, int)
FAKE_OF(_64, int64_t)

// Descriptors are maps from an attribute to its bytes, with cuBLASLt's defaults.
using Descriptor = std::map<int, uint64_t>;

int fake_set(cublas::Handle descriptor, int attribute, const void* value, size_t bytes) {
    return std::memcpy(&(*static_cast<Descriptor*>(descriptor))[attribute], value, bytes), cublas::kSuccess;
}
static int get(cublas::Handle descriptor, int attribute, void* value, size_t bytes, size_t* written) {
    const Descriptor& all = *static_cast<Descriptor*>(descriptor);
    const auto found = all.find(attribute);
    if (found == all.end()) return kInvalid;  // an older cuBLASLt
    return std::memcpy(value, &found->second, *written = bytes), cublas::kSuccess;
}
int cublasLtMatmulDescSetAttribute(cublas::Handle descriptor, int attribute, const void* value, size_t bytes) {
    return fake_set(descriptor, attribute, value, bytes);
}
int cublasLtMatrixLayoutSetAttribute(cublas::Handle descriptor, int attribute, const void* value, size_t bytes) {
    return fake_set(descriptor, attribute, value, bytes);
}
int cublasLtMatmulDescGetAttribute(cublas::Handle descriptor, int attribute, void* value, size_t bytes,
                                   size_t* written) {
    return get(descriptor, attribute, value, bytes, written);
}
int cublasLtMatrixLayoutGetAttribute(cublas::Handle descriptor, int attribute, void* value, size_t bytes,
                                     size_t* written) {
    return get(descriptor, attribute, value, bytes, written);
}
int cublasLtMatmulDescCreate(cublas::Handle* descriptor, int compute, int scale) {
    *descriptor =
        new Descriptor{{cublas::kComputeType, compute}, {cublas::kScaleType, scale}, {cublas::kPointerMode, 0},
                       {cublas::kTransposeA, 0},        {cublas::kTransposeB, 0},    {cublas::kTransposeC, 0},
                       {cublas::kFillMode, 2},          {cublas::kEpilogue, 1},      {cublas::kBiasPointer, 0},
                       {cublas::kBiasBatchStride, 0},   {cublas::kAScale, 0},        {cublas::kBiasType, 0xffffffff}};
    return cublas::kSuccess;
}
int cublasLtMatrixLayoutCreate(cublas::Handle* layout, int type, uint64_t rows, uint64_t cols, int64_t leading) {
    *layout =
        new Descriptor{{cublas::kType, type},       {cublas::kOrder, 0}, {cublas::kRows, rows}, {cublas::kCols, cols},
                       {cublas::kLeading, leading}, {cublas::kBatch, 1}, {cublas::kStride, 0},  {cublas::kPlane, 0}};
    return cublas::kSuccess;
}
int cublasLtMatmulDescDestroy(cublas::Handle descriptor) {
    return delete static_cast<Descriptor*>(descriptor), cublas::kSuccess;
}
int cublasLtMatrixLayoutDestroy(cublas::Handle layout) {
    return delete static_cast<Descriptor*>(layout), cublas::kSuccess;
}
int cublasLtMatmul(cublas::Handle handle, cublas::Handle product, const void* alpha, const void* A,
                   cublas::Handle layout_a, const void* B, cublas::Handle layout_b, const void* beta, const void* C,
                   cublas::Handle, void* D, cublas::Handle layout_d, const void*, void*, size_t, void*) {
    ++calls;
    if (!handle) return cublas::kNotInitialized;
    Descriptor& of_product = *static_cast<Descriptor*>(product);
    Descriptor &a = *static_cast<Descriptor*>(layout_a), &b = *static_cast<Descriptor*>(layout_b),
               &d = *static_cast<Descriptor*>(layout_d);
    const bool ta = of_product[cublas::kTransposeA] != 0, tb = of_product[cublas::kTransposeB] != 0;
    const auto* const bias = reinterpret_cast<const float*>(of_product[cublas::kBiasPointer]);
    const auto *const one = static_cast<const float*>(A), *const other = static_cast<const float*>(B);
    const auto* const added = static_cast<const float*>(C);
    auto* const out = static_cast<float*>(D);
    const float factor = *static_cast<const float*>(beta);
    const auto rows = static_cast<int64_t>(d[cublas::kRows]), cols = static_cast<int64_t>(d[cublas::kCols]),
               ldd = static_cast<int64_t>(d[cublas::kLeading]);
    for (int64_t i = 0; i < static_cast<int64_t>(d[cublas::kBatch]); ++i) {
        float* const C_of_i = out + i * static_cast<int64_t>(d[cublas::kStride]);
        if (factor != 0 && added != out) return cublas::kExecutionFailed;  // no test asks for that
        multiply(ta, tb, rows, cols, static_cast<int64_t>(ta ? a[cublas::kRows] : a[cublas::kCols]),
                 *static_cast<const float*>(alpha), one + i * static_cast<int64_t>(a[cublas::kStride]),
                 static_cast<int64_t>(a[cublas::kLeading]), other + i * static_cast<int64_t>(b[cublas::kStride]),
                 static_cast<int64_t>(b[cublas::kLeading]), factor, C_of_i, ldd,
                 of_product[cublas::kEpilogue] & cublas::kEpilogueBias ? bias : nullptr);
    }
    return cublas::kSuccess;
}

}  // extern "C"
