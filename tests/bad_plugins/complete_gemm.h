// All of solve_gemm as abi/solve.h has it, for bad plugins to get one thing of it wrong.
#pragma once

#include "gemm.h"
#include "multiply.h"

// SOLVE_OK if the call is one.
static int refusal_of(const solve_gemm_t* g) {
    if (g == nullptr || g->size < sizeof(solve_gemm_t)) return SOLVE_INVALID_ARGUMENT;
    for (uint32_t at = sizeof(solve_gemm_t); at < g->size; ++at) {
        if (reinterpret_cast<const unsigned char*>(g)[at] != 0) return SOLVE_UNSUPPORTED;
    }
    if (g->M < 0 || g->N < 0 || g->K < 0 || g->batch < 0) return SOLVE_INVALID_ARGUMENT;
    if (g->transpose_a > SOLVE_T || g->transpose_b > SOLVE_T) return SOLVE_INVALID_ARGUMENT;
    if (g->bias_kind > SOLVE_BIAS_OF_COLUMNS || g->accuracy > SOLVE_ARITHMETIC_BF16) return SOLVE_INVALID_ARGUMENT;
    if (g->lda < (g->transpose_a ? g->M : g->N) || g->ldb < (g->transpose_b ? g->N : g->K) || g->ldc < g->K) {
        return SOLVE_INVALID_ARGUMENT;
    }
    if (g->batch == 0 || g->M == 0 || g->K == 0) return SOLVE_OK;
    if (g->N > 0 && ((!g->A && !g->A_array) || (!g->B && !g->B_array))) return SOLVE_INVALID_ARGUMENT;
    if ((!g->C && !g->C_array) || (g->bias_kind != SOLVE_BIAS_NONE && !g->bias)) return SOLVE_INVALID_ARGUMENT;
    return SOLVE_OK;
}

static void add_bias(const solve_gemm_t* g, int64_t p) {
    if (g->bias_kind == SOLVE_BIAS_NONE) return;
    float* const C = g->C_array ? g->C_array[p] : g->C + p * g->stride_c;
    const float* const bias = g->bias + p * g->stride_bias;
    for (int i = 0; i < g->M; ++i) {
        for (int k = 0; k < g->K; ++k) C[i * g->ldc + k] += bias[g->bias_kind == SOLVE_BIAS_OF_ROWS ? i : k];
    }
}

struct Product {
    float operator()(float a, float b) const { return a * b; }
};

// The products of a call that refusal_of lets pass.
template <class Term = Product>
static int multiply_all(const solve_gemm_t* given, Term term = {}) {
    solve_gemm_t g = *given;
    if (g.N == 0) g.alpha = 0;  // an empty sum is 0, whatever alpha is
    for (int64_t p = 0; p < g.batch; ++p) {
        multiply_one(
            &g, p, g.transpose_b, [](float value) { return value; }, term);
        add_bias(&g, p);
    }
    return SOLVE_OK;
}

// Of any call.
template <class Term = Product>
static int multiply_call(const solve_gemm_t* given, Term term = {}) {
    const int code = refusal_of(given);
    return code == SOLVE_OK ? multiply_all(given, term) : code;
}

// What a call of solve_enqueue asks for.
static solve_gemm_t enqueued_call(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc,
                                  int M, int N, int K, float alpha, float beta) {
    solve_gemm_t g = solve_gemm_one();
    g.M = M, g.N = N, g.K = K;
    g.A = A, g.lda = lda, g.B = B, g.ldb = ldb, g.C = C, g.ldc = ldc;
    g.alpha = alpha, g.beta = beta;
    return g;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
