// solve_gemm for bad plugins to get wrong: a product at a time, without a bias.
#pragma once

#include "../../abi/solve.h"

static float element_of(const float* X, int64_t ld, uint32_t transpose, int64_t row, int64_t col) {
    return transpose ? X[col * ld + row] : X[row * ld + col];
}

// Product p of the batch, with B taken as transposed or not, each operand as `rounded` makes it, each term as `term`
// does.
static void multiply_one(
    const solve_gemm_t* g, int64_t p, uint32_t transpose_b, float (*rounded)(float) = [](float value) { return value; },
    float (*term)(float, float) = [](float a, float b) { return a * b; }) {
    const float* const A = g->A_array ? g->A_array[p] : g->A + p * g->stride_a;
    const float* const B = g->B_array ? g->B_array[p] : g->B + p * g->stride_b;
    float* const C = g->C_array ? g->C_array[p] : g->C + p * g->stride_c;
    for (int i = 0; i < g->M; ++i) {
        for (int k = 0; k < g->K; ++k) {
            float sum = 0;
            for (int n = 0; n < g->N && g->alpha != 0; ++n) {
                sum += term(rounded(element_of(A, g->lda, g->transpose_a, i, n)),
                            rounded(element_of(B, g->ldb, transpose_b, n, k)));
            }
            C[i * g->ldc + k] = g->alpha * sum + (g->beta != 0 ? g->beta * C[i * g->ldc + k] : 0);
        }
    }
}
