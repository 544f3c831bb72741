// A rung that computes C = alpha * A * B + beta * C: its operands, and what is the same in every solve_enqueue. Rung 54
// is about the rules of the BLAS that are kept here, and spells them out.
#pragma once

#include "launch.h"

namespace ladder {

// C = alpha * A * B + beta * C on a stream; the operands are those of solve_enqueue.
struct Gemm {
    const float* A;
    int64_t lda;
    const float* B;
    int64_t ldb;
    float* C;
    int64_t ldc;
    int M, N, K;
    float alpha = 1.0f, beta = 0.0f;
    cudaStream_t stream = nullptr;

    // Whether any four floats from a column 0, 4, 8, ... of a matrix can be moved at once. With N = 6 and lda = 8 the
    // last four of a row would reach past its end, for the last row perhaps past the end of the memory.
    bool vector_a() const { return aligned16(A, lda) && N % 4 == 0; }
    bool vector_b() const { return aligned16(B, ldb) && K % 4 == 0; }
    bool vector_c() const { return aligned16(C, ldc) && K % 4 == 0; }
};

// C = beta * C, without reading it if beta is 0.
static __global__ void scale(float* C, int64_t ldc, int K, float beta) {
    const int64_t col = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (col >= K) return;
    float* const c = &C[blockIdx.y * ldc + col];
    *c = 0.0f + (beta != 0.0f ? beta * *c : 0.0f);  // the empty sum, whose 0 makes a -0 of C positive
}

// Executes a call of solve_enqueue and returns its code. multiply(gemm) is called if there is something to multiply: M,
// N and K are at least 1 then, and alpha is not 0. On a device older than compute capability `capability` / 10 nothing
// is done.
template <class Multiply>
int enqueue(const Gemm& gemm, int capability, Multiply multiply) {
    clear_error();
    cudaGetLastError();  // an error left by an earlier call is not this call's
    if (!valid(gemm.A, gemm.B, gemm.C, gemm.M, gemm.N, gemm.K) ||
        !valid_leading(gemm.lda, gemm.ldb, gemm.ldc, gemm.M, gemm.N, gemm.K)) {
        return SOLVE_INVALID_ARGUMENT;
    }
    if (gemm.M == 0 || gemm.K == 0) return SOLVE_OK;
    if (!supports(capability)) return SOLVE_UNSUPPORTED;
    if (gemm.N > 0 && gemm.alpha != 0.0f) {
        multiply(gemm);
    } else if (gemm.beta != 1.0f) {
        constexpr int kThreads = 256;
        for_each_slab(gemm.M, 1, [&](int64_t row, int rows) {
            const dim3 grid(ceil_div(gemm.K, kThreads), rows);
            scale<<<grid, kThreads, 0, gemm.stream>>>(gemm.C + row * gemm.ldc, gemm.ldc, gemm.K, gemm.beta);
        });
    }
    const bool recorded = error_text()[0] != '\0';  // by multiply: a library's error that CUDA knows nothing of
    return finish() && !recorded ? SOLVE_OK : SOLVE_DEVICE_ERROR;
}

}  // namespace ladder

// The last line of a rung that has solve and solve_enqueue, both by its function multiply(gemm):
//   SOLVE_EXPORT_GEMM(rung_60::multiply, .summary = "...", .source = "...", .minimum_compute_capability = 80)
#define SOLVE_EXPORT_GEMM(multiply, ...) SOLVE_IF_COMPILED(SOLVE_DEFINE_GEMM(multiply, __VA_ARGS__))
#define SOLVE_DEFINE_GEMM(multiply, ...)                                                                          \
    SOLVE_DESCRIBE(__VA_ARGS__, .entries = SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_ENQUEUE)                               \
    extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {                        \
        const auto whole = [](const float* A, const float* B, float* C, int M, int N, int K) {                    \
            multiply({A, N, B, K, C, K, M, N, K});                                                                \
        };                                                                                                        \
        ladder::solve(A, B, C, M, N, K, solve_description.minimum_compute_capability, whole);                     \
    }                                                                                                             \
    extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, \
                                 int M, int N, int K, float alpha, float beta, void* stream) {                    \
        const auto cuda_stream = static_cast<cudaStream_t>(stream);                                               \
        return ladder::enqueue({A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, cuda_stream},                       \
                               solve_description.minimum_compute_capability, multiply);                           \
    }
