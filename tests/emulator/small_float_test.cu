#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>
#include <vector>

#include "../catch.h"

namespace {

namespace wmma = nvcuda::wmma;

// C = A * B of 16 x 16 matrices of T.
template <class T, class Sum>
__global__ void multiply_narrow(const T* A, const T* B, Sum* C) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> c;
    wmma::fill_fragment(c, Sum(0));
    wmma::load_matrix_sync(a, A, 16);
    wmma::load_matrix_sync(b, B, 16);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
}

template <class T, class Sum>
int wrong_elements() {
    alignas(32) T a[256], b[256];
    alignas(32) Sum c[256];
    for (int i = 0; i < 256; ++i) a[i] = T(i * 7 % 13 - 6);
    for (int i = 0; i < 256; ++i) b[i] = T(i * 5 % 11 - 5);
    multiply_narrow<T, Sum><<<1, 32>>>(a, b, c);
    if (cudaGetLastError() != cudaSuccess) return -1;
    int wrong = 0;
    for (int i = 0; i < 256; ++i) {
        float expected = 0;
        for (int k = 0; k < 16; ++k) expected += float(a[i / 16 * 16 + k]) * float(b[i % 16 * 16 + k]);
        wrong += float(c[i]) != expected;
    }
    return wrong;
}

}  // namespace

TEST_CASE("FP16 and BF16 round to nearest, ties to even") {
    CHECK(__half_as_ushort(__float2half(1.0f)) == 0x3c00);
    CHECK(__half_as_ushort(__float2half(65504.0f)) == 0x7bff);
    CHECK(__half_as_ushort(__float2half(65520.0f)) == 0x7c00);
    CHECK(__half_as_ushort(__float2half(0x1p-24f)) == 1);
    CHECK(__half_as_ushort(__float2half(0x1p-25f)) == 0);
    CHECK(__half_as_ushort(__float2half(1.0f + 0x1p-11f)) == 0x3c00);
    CHECK(__half_as_ushort(__float2half(1.0f + 0x3p-11f)) == 0x3c02);
    CHECK(__half_as_ushort(__float2half_rz(1.0f + 0x3p-11f)) == 0x3c01);
    CHECK(std::isnan(__half2float(__float2half(NAN))));
    CHECK(__bfloat16_as_ushort(__float2bfloat16(1.0f + 0x1p-8f)) == 0x3f80);
    CHECK(__bfloat16_as_ushort(__float2bfloat16(1.0f + 0x3p-8f)) == 0x3f82);
    int wrong = 0;
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        wrong += __half_as_ushort(__float2half(__half2float(__ushort_as_half(bits)))) != bits;
    }
    CHECK(wrong == 0);
}

TEST_CASE("arithmetic on halves, and on pairs of them") {
    const half a = 1.5f, b = __float2half(0.25f);
    CHECK(float(a * b + a) == 1.875f);
    CHECK(float(__hfma(a, a, b)) == 2.5f);
    CHECK((a > b && __hlt(b, a) && -a < b));
    half2 pair = make_half2(a, b);
    pair += __float2half2_rn(1.0f);
    CHECK(__low2float(__hmul2(pair, pair)) == 6.25f);
    CHECK(__half22float2(pair).y == 1.25f);
    const __nv_bfloat16 c = 3.0f;
    CHECK(__bfloat162float(__hmul(c, c)) == 9.0f);
}

TEST_CASE("wmma of 16-bit and of 8-bit operands") {
    CHECK(wrong_elements<half, float>() == 0);
    CHECK(wrong_elements<half, half>() == 0);
    CHECK(wrong_elements<__nv_bfloat16, float>() == 0);
    CHECK(wrong_elements<signed char, int>() == 0);
}

TEST_CASE("cuBLAS multiplies on the CPU") {
    // Column-major: A is 2 x 3, B 3 x 2.
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, -1, 2, 1, 0}, one = 1, two = 2;
    float c[] = {1, 1, 1, 1};
    cublasHandle_t handle = nullptr;
    REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSetStream(handle, nullptr) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, a, 2, b, 3, &two, c, 2) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK((c[0] == -2 && c[1] == -2 && c[2] == 7 && c[3] == 10));
    const half ah[] = {1, 2, 3, 4, 5, 6}, bh[] = {1, 0, -1, 2, 1, 0};
    const float zero = 0;
    CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, ah, CUDA_R_16F, 2, bh, CUDA_R_16F, 3, &zero, c,
                       CUDA_R_32F, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
    CHECK((c[0] == -4 && c[1] == -4 && c[2] == 5 && c[3] == 8));
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, a, 1, b, 3, &two, c, 2) ==
          CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
}
