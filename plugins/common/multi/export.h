// What is the same in every plugin that takes host pointers and works with GPUs: the checks, the errors, the
// description, and that one call is worked on at a time.
#pragma once

#include <cstring>
#include <mutex>

#include "../export/export.h"
#include "../export/gemm_call.h"
#include "failure.h"
#include "gpu.h"
#include "host_threads.h"
#include "hosts.h"

namespace ladder {

// Runs body() as the only one, with the error that it throws recorded. The current GPU of the calling thread stays what
// it was.
template <class Body>
solve_result run_alone(Body body) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    try {
        const CurrentGpu current;
        cudaGetLastError();  // an error left by an earlier call is not this call's
        body();
        return SOLVE_OK;
    } catch (const Unsupported& error) {
        fail("%s", error.what());
        return SOLVE_UNSUPPORTED;
    } catch (const std::exception& error) {
        fail("%s", error.what());
        return SOLVE_DEVICE_ERROR;
    }
}

// A call of solve: multiply(A, B, C, M, N, K) if there is something to multiply; when it returns C is written.
template <class Multiply>
void solve_on_host(const float* A, const float* B, float* C, int M, int N, int K, Multiply multiply) {
    clear_error();
    if (!valid(A, B, C, M, N, K) || M == 0 || K == 0) return;
    if (N == 0) {
        std::memset(C, 0, sizeof(float) * size_t(M) * K);
        return;
    }
    run_alone([&] { multiply(A, B, C, M, N, K); });
}

// C = scale * C + bias of product i, by threads of the host. With a scale of 0 C is not read.
inline void scale_and_add_bias(const solve_gemm_t& call, int64_t i, float scale, int threads) {
    constexpr int64_t kLeastPiece = 65536;  // elements: less is not worth waking a thread
    const int64_t pieces = std::clamp<int64_t>(int64_t{call.M} * call.K / kLeastPiece, 1, std::min(threads, call.M));
    HostThreads::all().for_each(pieces, threads, [&](size_t piece) {
        const int64_t end = call.M * (int64_t(piece) + 1) / pieces;
        for (int64_t row = call.M * int64_t(piece) / pieces; row < end; ++row) {
            float* const c = c_of(call, i) + row * call.ldc;
            for (int64_t col = 0; col < call.K; ++col) {
                c[col] = 0.0f + (scale == 0.0f ? 0.0f : scale * c[col]) + bias_of(call, i, row, col);
            }
        }
    });
}

// Product i of a call by itself, without its bias.
inline solve_gemm_t only_product(const solve_gemm_t& call, int64_t i) {
    solve_gemm_t one = call;
    one.A = a_of(call, i), one.B = b_of(call, i), one.C = c_of(call, i);
    one.A_array = one.B_array = nullptr, one.C_array = nullptr;
    one.batch = 1;
    one.bias = nullptr, one.bias_kind = SOLVE_BIAS_NONE;
    one.stream = one.workspace = nullptr, one.workspace_bytes = 0;
    return one;
}

// A call of solve_gemm on matrices, arrays and a bias in host memory, by multiply(call) of one product without a bias.
// The bias is added on the host. One of several processes may lack B, and rows. `threads` is asked for how many of
// those may work, where there is work for them.
template <class Multiply, class Threads>
int solve_gemm_on_host(const solve_gemm_t* given, uint32_t arithmetic, Multiply multiply, Threads threads) {
    solve_gemm_t call, with_b;
    if (may_lack_operands() && given && given->size == sizeof(with_b) && !given->B) {
        static constexpr float kElsewhere = 0;
        with_b = *given, with_b.B = &kElsewhere;
        given = &with_b;
    }
    if (const int code = begin_call(given, arithmetic, call); code != SOLVE_OK) return code;
    if ((call.M == 0 && !may_lack_operands()) || call.K == 0) return SOLVE_OK;
    const bool has_bias = call.bias_kind != SOLVE_BIAS_NONE;
    return run_alone([&] {
        for (int64_t i = 0; i < call.batch; ++i) {
            if (!is_empty_sum(call)) {
                multiply(only_product(call, i));
                if (has_bias) scale_and_add_bias(call, i, 1.0f, threads());
            } else if (call.beta != 1.0f || has_bias) {
                scale_and_add_bias(call, i, call.beta, threads());
            }
        }
    });
}

// The call of one dense product.
inline solve_gemm_t call_of(const float* A, const float* B, float* C, int M, int N, int K) {
    solve_gemm_t call = solve_gemm_one();
    call.M = M, call.N = N, call.K = K;
    call.A = A, call.lda = N;
    call.B = B, call.ldb = K;
    call.C = C, call.ldc = K;
    return call;
}

}  // namespace ladder

// The last line of a rung, by its function multiply(A, B, C, M, N, K), which throws what goes wrong:
//   SOLVE_EXPORT_HOST(rung_multi_10::multiply, .summary = "...", .source = "...")
// The section tells the host, without loading the library, that it has GPU code but wants host pointers; the name tells
// the emulator, which then keeps kernels from accessing the matrices.
#define SOLVE_EXPORT_HOST(multiply, ...) SOLVE_IF_COMPILED(SOLVE_DEFINE_HOST(multiply, __VA_ARGS__))
#define SOLVE_DEFINE_HOST(multiply, ...)                                                   \
    SOLVE_DESCRIBE_HOST(__VA_ARGS__)                                                       \
    extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) { \
        ladder::solve_on_host(A, B, C, M, N, K, multiply);                                 \
    }
#define SOLVE_DESCRIBE_HOST(...)                                                                       \
    extern "C" {                                                                                       \
    __attribute__((section(".solve.host_memory"), used)) extern const char matrices_in_host_memory[] = \
        "matrices in host memory";                                                                     \
    }                                                                                                  \
    SOLVE_DESCRIBE_IN(SOLVE_MEMORY_HOST, __VA_ARGS__)

// The same of one that has solve_gemm too, by its function multiply_one(call), for one product without arrays and bias.
#define SOLVE_EXPORT_HOST_GEMM(multiply_one, ...) SOLVE_IF_COMPILED(SOLVE_DEFINE_HOST_GEMM(multiply_one, __VA_ARGS__))
#define SOLVE_DEFINE_HOST_GEMM(multiply_one, ...)                                                                  \
    SOLVE_DESCRIBE_HOST(__VA_ARGS__, .entries = SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_GEMM)                              \
    extern "C" int solve_gemm(const solve_gemm_t* call) {                                                          \
        return ladder::solve_gemm_on_host(call, solve_description.arithmetic, multiply_one, ladder::host_threads); \
    }                                                                                                              \
    extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {                         \
        const solve_gemm_t call = ladder::call_of(A, B, C, M, N, K);                                               \
        solve_gemm(&call);                                                                                         \
    }
