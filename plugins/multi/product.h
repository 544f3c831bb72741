// The kernels that all rungs of this folder multiply with: those of 90_dispatch. In the emulator one that is as correct
// and compiles in a tenth of a second.
#pragma once

#ifndef SOLVE_EMULATOR
#include "../cuda/90_dispatch.cu"
#endif

#include <algorithm>

#include "../common/export/gemm.h"
#include "../common/multi/failure.h"

namespace multi {

#ifdef SOLVE_EMULATOR
static __global__ void multiply_elements(solve_gemm_t call) {
    const int64_t col = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (col >= call.K) return;
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    for (int64_t row = blockIdx.y; row < call.M; row += gridDim.y) {
        const float* const a = call.A + (ta ? row : row * call.lda);
        const float* const b = call.B + (tb ? col * call.ldb : col);
        float sum = 0;
        for (int64_t n = 0; n < call.N; ++n) sum += a[ta ? n * call.lda : n] * b[tb ? n : n * call.ldb];
        float& c = call.C[row * call.ldc + col];
        c = call.beta == 0 ? call.alpha * sum : call.alpha * sum + call.beta * c;
    }
}
#endif

// One product of solve_gemm without arrays and bias, on its stream, which is of the current GPU. As accurate as the
// call asks for; one that says nothing gets FP32, whatever SGEMM_LADDER_ACCURACY says, as solve_info of these rungs
// does.
inline void enqueue_product(const solve_gemm_t& call) {
    ladder::clear_error();
#ifdef SOLVE_EMULATOR
    const dim3 grid(ladder::ceil_div(call.K, 64), std::min(call.M, 65535));
    multiply_elements<<<grid, 64, 0, static_cast<cudaStream_t>(call.stream)>>>(call);
#else
    solve_gemm_t asked = call;
    asked.accuracy = std::max<uint32_t>(call.accuracy, SOLVE_ARITHMETIC_FP32);
    rung_90::solve_all(asked);
#endif
    if (ladder::error_text()[0] != '\0' || !ladder::finish()) throw ladder::Failure(ladder::error_text());
}

inline void enqueue_product(const ladder::Gemm& gemm) {
    enqueue_product(ladder::call_of(gemm));
}

}  // namespace multi
