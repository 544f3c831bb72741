// The kernels that all rungs of this folder multiply with: those of 90_dispatch. In the emulator those of 54, which
// compile in a tenth of the time and are right alike.
#pragma once

#ifdef SOLVE_EMULATOR
#include "../cuda/54_alpha_beta.cu"
#else
#include "../cuda/90_dispatch.cu"
#endif

#include "../common/export/gemm.h"
#include "../common/multi/failure.h"

namespace multi {

// C = A * B, or C += A * B, on the stream of gemm, which is of the current GPU.
inline void enqueue_product(const ladder::Gemm& gemm) {
    ladder::clear_error();
#ifdef SOLVE_EMULATOR
    rung_54::launch(gemm.A, gemm.lda, gemm.B, gemm.ldb, gemm.C, gemm.ldc, gemm.M, gemm.N, gemm.K, gemm.alpha, gemm.beta,
                    gemm.stream);
#else
    rung_90::multiply(gemm);
#endif
    if (!ladder::finish()) throw ladder::Failure(ladder::error_text());
}

}  // namespace multi
