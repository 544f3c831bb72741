// Calls NVIDIA's own cuBLASLt, whose descriptors need no GPU: what is ours is multiplied by the engine, and the rest
// gets an error, since its handle is none.
#include <cublasLt.h>

#include <cstdio>

namespace {

const float one = 1, zero = 0;
const float A[12] = {1, 2, 1, 3, 1, 4, 2, 4, 2, 6, 2, 8};  // transposed: two matrices of 3 x 2
const float B[2] = {1, 2};
const float bias[3] = {10, 20, 30};
float C[6];

template <class Value>
void set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute, Value value) {
    cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof(value));
}

template <class Value>
void set(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, Value value) {
    cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof(value));
}

// C (3 x 1) = A (2 x 3, transposed) * B (2 x 1), after a change.
template <class Change>
void multiply(const char* name, int products, Change change, cublasComputeType_t compute = CUBLAS_COMPUTE_32F) {
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulDescCreate(&product, compute, CUDA_R_32F);
    set(product, CUBLASLT_MATMUL_DESC_TRANSA, int32_t{CUBLAS_OP_T});
    cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, 2, 3, 2);
    cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, 2, 1, 2);
    cublasLtMatrixLayoutCreate(&c, CUDA_R_32F, 3, 1, 3);
    change(product, a, b, c);
    static long long no_handle[1024];
    const auto handle = reinterpret_cast<cublasLtHandle_t>(no_handle);
    for (float& each : C) each = 0;
    const int status =
        cublasLtMatmul(handle, product, &one, A, a, B, b, &zero, C, c, C, c, nullptr, nullptr, 0, nullptr);
    if (products > 0 && status == 0) {
        std::printf("%s", name);
        for (int i = 0; i < 3 * products; ++i) std::printf(" %g", C[i]);
        std::printf("\n");
    }
}

}  // namespace

int main() {
    using Product = cublasLtMatmulDesc_t;
    using Layout = cublasLtMatrixLayout_t;
    multiply("plain", 1, [](Product, Layout, Layout, Layout) {});
    multiply("bias", 1, [](Product product, Layout, Layout, Layout) {
        set(product, CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t{CUBLASLT_EPILOGUE_BIAS});
        set(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(bias));
    });
    multiply("batch", 2, [](Product, Layout a, Layout b, Layout c) {
        for (const Layout each : {a, b, c}) set(each, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, int32_t{2});
        set(a, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t{6});
        set(c, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t{3});
    });
    multiply(
        "TF32", 0, [](Product, Layout, Layout, Layout) {}, CUBLAS_COMPUTE_32F_FAST_TF32);
    multiply("pointers", 0, [](Product product, Layout, Layout, Layout) {
        set(product, CUBLASLT_MATMUL_DESC_POINTER_MODE, int32_t{CUBLASLT_POINTER_MODE_DEVICE});
    });
    multiply("GELU", 0, [](Product product, Layout, Layout, Layout) {
        set(product, CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t{CUBLASLT_EPILOGUE_GELU});
    });
    multiply("by rows", 0, [](Product, Layout a, Layout, Layout) {
        set(a, CUBLASLT_MATRIX_LAYOUT_ORDER, int32_t{CUBLASLT_ORDER_ROW});
    });
}
