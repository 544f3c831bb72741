// A rung that computes C = alpha * A * B + beta * C: its operands, and what is the same in every solve_enqueue. Rung 54
// is about the rules of the BLAS that are kept here, and spells them out.
#pragma once

#include <type_traits>

#include "allow_shared.h"
#include "chain_call.h"
#include "launch.h"

namespace ladder {

// Operands whose rows are padded to multiples of 16 bytes, and may be read to the end of the padding: those that the
// library itself has copied to workspace. A call's `reserved`, which is 0 in calls from outside, says which.
enum Padded : uint32_t { kPaddedA = 1, kPaddedB = 2 };

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
    CallerMemory workspace = {};
    const float* bias = nullptr;  // of the columns: C = alpha * A * B + bias then, and beta is 0; for 86 and 90 alone
    uint32_t padded = 0;          // whether operands lie in workspace, enum Padded; for 86 and 90 alone

    // Whether any four floats from a column 0, 4, 8, ... of a matrix can be moved at once. With N = 6 and lda = 8 the
    // last four of a row would reach past its end, for the last row perhaps past the end of the memory.
    bool vector_a() const { return aligned16(A, lda) && N % 4 == 0; }
    bool vector_b() const { return aligned16(B, ldb) && K % 4 == 0; }
    bool quads_of_b() const { return aligned16(B, ldb) && (K % 4 == 0 || (padded & kPaddedB) != 0); }
    bool vector_c() const { return aligned16(C, ldc) && K % 4 == 0 && (!bias || aligned16(bias, 0)); }
};

// C = beta * C + bias of every product, without reading C if beta is 0. A thread has kRowsOfThread rows of a
// column, or more past 8 * 65535 rows: with one row a thread, 8192 rows of 768 to 3072 columns took an H100 48 us in
// the mean, where moving their bytes takes 20.
constexpr int kRowsOfThread = 8;
static __global__ void scale_and_bias(solve_gemm_t call) {
    const int64_t col = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (col >= call.K) return;
    for (int64_t i = blockIdx.z; i < call.batch; i += gridDim.z) {
        float* const C = c_of(call, i);
#pragma unroll 4
        for (int64_t row = blockIdx.y; row < call.M; row += gridDim.y) {
            float* const c = &C[row * call.ldc + col];
            // The empty sum, whose 0 makes a -0 of C positive.
            *c = 0.0f + (call.beta != 0.0f ? call.beta * *c : 0.0f) + bias_of(call, i, row, col);
        }
    }
}

inline void enqueue_scale_and_bias(const solve_gemm_t& call) {
    constexpr int kThreads = 256, kMost = 65535;
    const dim3 grid(ceil_div(call.K, kThreads), std::min(ceil_div(call.M, kRowsOfThread), kMost),
                    std::min(call.batch, kMost));
    scale_and_bias<<<grid, kThreads, 0, static_cast<cudaStream_t>(call.stream)>>>(call);
}

// Adds a call's bias to C, and returns the rest of the call, for a kernel that has no bias.
inline solve_gemm_t with_bias_added(const solve_gemm_t& call) {
    solve_gemm_t rest = call;
    if (call.bias_kind == SOLVE_BIAS_NONE) return rest;
    enqueue_scale_and_bias(call);
    rest.bias_kind = SOLVE_BIAS_NONE;
    rest.beta = 1.0f;
    return rest;
}

// The one product of a call without arrays whose operands are not transposed, with no other bias than of the columns;
// product i where strides tell.
inline Gemm plain_gemm(const solve_gemm_t& call, int64_t i = 0) {
    return {call.A + i * call.stride_a,
            call.lda,
            call.B + i * call.stride_b,
            call.ldb,
            call.C + i * call.stride_c,
            call.ldc,
            call.M,
            call.N,
            call.K,
            call.alpha,
            call.beta,
            static_cast<cudaStream_t>(call.stream),
            {call.workspace, call.workspace_bytes},
            call.bias_kind == SOLVE_BIAS_OF_COLUMNS ? call.bias + i * call.stride_bias : nullptr,
            call.reserved};
}

// Whether all rows of an operand of a call can be read 16 bytes at a time, from a column 0, 4, 8, ... on; of matrices
// in arrays nobody knows here.
inline bool vector_operand(const float* matrix, const void* array, int64_t ld, int64_t stride, int length) {
    return !array && aligned16(matrix, ld) && stride % 4 == 0 && length % 4 == 0;
}

// The same of an operand whose rows run across n, a transposed A or a B that is not, where padding may be read, too.
inline bool quads_of_a(const solve_gemm_t& call) {
    return vector_operand(call.A, call.A_array, call.lda, call.stride_a, call.reserved & kPaddedA ? 0 : call.M);
}
inline bool quads_of_b(const solve_gemm_t& call) {
    return vector_operand(call.B, call.B_array, call.ldb, call.stride_b, call.reserved & kPaddedB ? 0 : call.K);
}

// Whether a matrix's rows are contiguous, so that all of it can be read 16 bytes at a time as one line of words.
inline bool is_line(const float* matrix, int64_t ld, int cols) {
    return ld == cols && reinterpret_cast<uintptr_t>(matrix) % 16 == 0;
}

// How operands and C of a call may be read and written: 16 bytes at a time or word by word.
struct Vectors {
    bool a, b, c;

    explicit Vectors(const solve_gemm_t& call)
        : a(vector_operand(call.A, call.A_array, call.lda, call.stride_a,
                           call.transpose_a == SOLVE_T ? call.M : call.N)),
          b(vector_operand(call.B, call.B_array, call.ldb, call.stride_b,
                           call.transpose_b == SOLVE_T ? call.N : call.K)),
          c(vector_operand(call.C, call.C_array, call.ldc, call.stride_c, call.K)) {}
};

// The call of solve_gemm that this is.
inline solve_gemm_t call_of(const solve_gemm_t& call) {
    return call;
}
inline solve_gemm_t call_of(const Gemm& gemm) {
    solve_gemm_t call = solve_gemm_one();
    call.M = gemm.M, call.N = gemm.N, call.K = gemm.K;
    call.A = gemm.A, call.lda = gemm.lda;
    call.B = gemm.B, call.ldb = gemm.ldb;
    call.C = gemm.C, call.ldc = gemm.ldc;
    call.alpha = gemm.alpha, call.beta = gemm.beta;
    call.stream = gemm.stream;
    call.workspace = gemm.workspace.data, call.workspace_bytes = gemm.workspace.bytes;
    call.reserved = gemm.padded;
    if (gemm.bias) call.bias = gemm.bias, call.bias_kind = SOLVE_BIAS_OF_COLUMNS;
    return call;
}

// The code of a call that has enqueued its work.
inline int result_of_call() {
    const bool recorded = error_text()[0] != '\0';  // by multiply: a library's error that CUDA knows nothing of
    return finish() && !recorded ? SOLVE_OK : SOLVE_DEVICE_ERROR;
}

// Executes a call of solve_enqueue and returns its code. multiply(gemm), which may return one too, is called if there
// is something to multiply: M, N and K are at least 1 then, and alpha is not 0. On a device older than compute
// capability `capability` / 10 nothing is done.
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
        if constexpr (std::is_same_v<decltype(multiply(gemm)), int>) {
            if (const int code = multiply(gemm); code != SOLVE_OK) return code;
        } else {
            multiply(gemm);
        }
    } else if (gemm.beta != 1.0f) {
        enqueue_scale_and_bias(call_of(gemm));
    }
    return result_of_call();
}

// The same for a call of solve_gemm and multiply(call), which returns its code.
template <class Multiply>
int enqueue_call(const solve_gemm_t* given, const Description& plugin, Multiply multiply) {
    solve_gemm_t call;
    if (const int code = begin_call(given, plugin.arithmetic, call); code != SOLVE_OK) return code;
    cudaGetLastError();  // an error left by an earlier call is not this call's
    if (call.batch == 0 || call.M == 0 || call.K == 0) return SOLVE_OK;
    if (!supports(static_cast<int>(plugin.minimum_compute_capability))) return SOLVE_UNSUPPORTED;
    if (!is_empty_sum(call)) {
        if (const int code = multiply(call); code != SOLVE_OK) return code;
    } else if (call.beta != 1.0f || call.bias_kind != SOLVE_BIAS_NONE) {
        enqueue_scale_and_bias(call);
    }
    return result_of_call();
}

// The same for a call of solve_chain_enqueue.
template <class Multiply>
int execute_chain(const solve_chain_t* given, const Description& plugin, Multiply multiply) {
    solve_chain_t call;
    if (const int code = begin_call(given, plugin.arithmetic, call); code != SOLVE_OK) return code;
    cudaGetLastError();  // an error left by an earlier call is not this call's
    const ChainWork work = work_of(call);
    if (work == ChainWork::none) return SOLVE_OK;
    if (!supports(static_cast<int>(plugin.minimum_compute_capability))) return SOLVE_UNSUPPORTED;
    if (work == ChainWork::multiply) {
        if (const int code = multiply(call); code != SOLVE_OK) return code;
    } else if (call.beta != 1.0f) {
        enqueue_scale_and_bias(scaling_of(call));
    }
    return result_of_call();
}

}  // namespace ladder

// The last line of a rung that has solve and solve_enqueue, both by its function multiply(gemm):
//   SOLVE_EXPORT_GEMM(rung_60::multiply, .summary = "...", .source = "...", .minimum_compute_capability = 80)
#define SOLVE_EXPORT_GEMM(multiply, ...) SOLVE_IF_COMPILED(SOLVE_DEFINE_GEMM(multiply, __VA_ARGS__))
#define SOLVE_DEFINE_GEMM(multiply, ...)                                            \
    SOLVE_DESCRIBE(__VA_ARGS__, .entries = SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_ENQUEUE) \
    SOLVE_DEFINE_ENTRIES(multiply)

// The same of one that has solve_gemm too, by its function multiply_all(call), which returns the call's code; the call
// has elements of C and is no empty sum.
#define SOLVE_EXPORT_GEMM_AND_ALL(multiply, multiply_all, ...) \
    SOLVE_IF_COMPILED(SOLVE_DEFINE_GEMM_AND_ALL(multiply, multiply_all, __VA_ARGS__))
#define SOLVE_DEFINE_GEMM_AND_ALL(multiply, multiply_all, ...)                                         \
    SOLVE_DESCRIBE(__VA_ARGS__, .entries = SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_ENQUEUE | SOLVE_ENTRY_GEMM) \
    SOLVE_DEFINE_ENTRIES(multiply)                                                                     \
    extern "C" int solve_gemm(const solve_gemm_t* call) {                                              \
        return ladder::enqueue_call(call, solve_description, multiply_all);                            \
    }

#define SOLVE_DEFINE_ENTRIES(multiply)                                                                            \
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
