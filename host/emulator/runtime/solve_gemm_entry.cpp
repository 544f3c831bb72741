// The solve_gemm that leaves the library, where the source has one.
#include <cstdlib>

#include "../../../abi/solve.h"
#include "callers_stream.h"
#include "capture.h"

extern "C" int solve_gemm_of_source(const solve_gemm_t* call);

extern "C" int solve_gemm(const solve_gemm_t* call) {
    using namespace emulator;
    // Whoever asks for an order or a capture gives matrices by strides, and this struct.
    const bool is_changed = std::getenv("EMULATOR_CALLERS_ORDER") || Capture::is_wanted();
    if (!is_changed || !call || call->size != sizeof(*call)) return solve_gemm_of_source(call);
    const Capture capture(call->stream);
    CallersStream caller(CallersStream::Entry::takes_stream, capture.stream());
    const auto extent_of = [&](bool transposed, int64_t rows, int64_t columns, int64_t leading, int64_t stride) {
        return transposed ? extent(columns, rows, leading, call->batch, stride)
                          : extent(rows, columns, leading, call->batch, stride);
    };
    const auto call_on_stream = [&] {
        solve_gemm_t own = *call;
        own.stream = caller.stream();
        if (caller.is_second()) own.workspace = nullptr, own.workspace_bytes = 0;
        own.A = caller.input(call->A, extent_of(call->transpose_a, call->M, call->N, call->lda, call->stride_a));
        own.B = caller.input(call->B, extent_of(call->transpose_b, call->N, call->K, call->ldb, call->stride_b));
        own.C = caller.output(call->C, extent_of(false, call->M, call->K, call->ldc, call->stride_c));
        const int64_t biases = call->bias_kind == SOLVE_BIAS_OF_ROWS ? call->M : call->K;
        own.bias = caller.input(call->bias, extent(1, biases, biases, call->batch, call->stride_bias));
        return solve_gemm_of_source(&own);
    };
    const int code = call_on_stream();
    caller.call_again_beside(call_on_stream);
    return code;
}
