// solve_gemm for bad plugins to get wrong: a product at a time, without a bias.
#pragma once

#include "../../abi/solve.h"

static float element_of(const float* X, int64_t ld, uint32_t transpose, int64_t row, int64_t col) {
    return transpose ? X[col * ld + row] : X[row * ld + col];
}

// sums[j] = op(A)'s row i times op(B)'s column k + j, kSide of them side by side, so that none waits for itself.
template <int kSide, class Rounded, class Term>
static void multiply_side(const solve_gemm_t* g, const float* A, const float* B, uint32_t transpose_b, int i, int k,
                          float* sums, Rounded rounded, Term term) {
    const int64_t right = transpose_b ? g->ldb : 1;  // from one column of op(B) to the next
    float own[kSide] = {};
    for (int n = 0; n < g->N && g->alpha != 0; ++n) {
        const float a = rounded(element_of(A, g->lda, g->transpose_a, i, n));
        const float* const b = B + (transpose_b ? k * g->ldb + n : n * g->ldb + k);
#pragma GCC unroll 8
        for (int j = 0; j < kSide; ++j) own[j] += term(a, rounded(b[j * right]));
    }
#pragma GCC unroll 8
    for (int j = 0; j < kSide; ++j) sums[j] = own[j];
}

// Product p of the batch, with B taken as transposed or not, each operand as `rounded` makes it, each term as `term`
// does.
template <class Rounded, class Term>
static void multiply_one(const solve_gemm_t* g, int64_t p, uint32_t transpose_b, Rounded rounded, Term term) {
    constexpr int kSide = 8;
    const float* const A = g->A_array ? g->A_array[p] : g->A + p * g->stride_a;
    const float* const B = g->B_array ? g->B_array[p] : g->B + p * g->stride_b;
    float* const C = g->C_array ? g->C_array[p] : g->C + p * g->stride_c;
    for (int i = 0; i < g->M; ++i) {
        for (int k = 0, side; k < g->K; k += side) {
            side = g->K - k < kSide ? 1 : kSide;
            float sums[kSide];
            side == 1 ? multiply_side<1>(g, A, B, transpose_b, i, k, sums, rounded, term)
                      : multiply_side<kSide>(g, A, B, transpose_b, i, k, sums, rounded, term);
            for (int j = 0; j < side; ++j) {
                float& c = C[i * g->ldc + k + j];
                c = g->alpha * sums[j] + (g->beta != 0 ? g->beta * c : 0);
            }
        }
    }
}

template <class Rounded>
static void multiply_one(const solve_gemm_t* g, int64_t p, uint32_t transpose_b, Rounded rounded) {
    multiply_one(g, p, transpose_b, rounded, [](float a, float b) { return a * b; });
}

static void multiply_one(const solve_gemm_t* g, int64_t p, uint32_t transpose_b) {
    multiply_one(g, p, transpose_b, [](float value) { return value; });
}
