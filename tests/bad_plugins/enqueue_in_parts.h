// solve_enqueue with each sum cut into parts, for plugins that choose how many.
#pragma once

#include <algorithm>

#include "complete_gemm.h"

static int enqueue_in_parts(int parts, const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc,
                            int M, int N, int K, float alpha, float beta) {
    solve_gemm_t g = solve_gemm_one();
    g.A = A, g.lda = lda, g.B = B, g.ldb = ldb, g.C = C, g.ldc = ldc;
    g.M = M, g.N = N, g.K = K, g.alpha = alpha, g.beta = beta;
    if (const int code = refusal_of(&g); code != SOLVE_OK) return code;
    if (N < parts || alpha == 0) return multiply_all(&g);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int part = 0; part < parts; ++part) {
                const int first = (int)((int64_t)N * part / parts), last = (int)((int64_t)N * (part + 1) / parts);
                float of_part = 0;
                for (int n = first; n < last; ++n) of_part += A[i * lda + n] * B[n * ldb + k];
                sum += of_part;
            }
            float& c = C[i * ldc + k];
            c = alpha * sum + (beta != 0 ? beta * c : 0);
        }
    }
    return SOLVE_OK;
}
