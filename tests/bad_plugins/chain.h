// solve_chain_enqueue as abi/solve.h has it, in either order, for bad plugins to get one thing of it wrong.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "gemm.h"

// SOLVE_OK if the call is one.
static int refusal_of(const solve_chain_t* g) {
    if (g == nullptr || g->size < sizeof(solve_chain_t)) return SOLVE_INVALID_ARGUMENT;
    for (uint32_t at = sizeof(solve_chain_t); at < g->size; ++at) {
        if (reinterpret_cast<const unsigned char*>(g)[at] != 0) return SOLVE_UNSUPPORTED;
    }
    if (g->M < 0 || g->N < 0 || g->K < 0 || g->L < 0 || g->accuracy > SOLVE_ARITHMETIC_BF16) {
        return SOLVE_INVALID_ARGUMENT;
    }
    const struct {
        const float* data;
        int64_t ld;
        int rows, cols;
    } matrices[] = {
        {g->A, g->lda, g->M, g->N}, {g->B, g->ldb, g->N, g->K}, {g->C, g->ldc, g->K, g->L}, {g->E, g->lde, g->M, g->L}};
    for (const auto& each : matrices) {
        if (each.rows > 0 && (each.ld < each.cols || (each.cols > 0 && !each.data))) return SOLVE_INVALID_ARGUMENT;
    }
    return SOLVE_OK;
}

// The products of a call that refusal_of lets pass; `between` has room for the first.
static int multiply_chain(const solve_chain_t* g, bool left_first, float* between) {
    const bool empty = g->N == 0 || g->K == 0 || g->alpha == 0;
    solve_gemm_t first = solve_gemm_one(), second = solve_gemm_one();
    first.M = left_first ? g->M : g->N, first.N = left_first ? g->N : g->K, first.K = left_first ? g->K : g->L;
    first.A = left_first ? g->A : g->B, first.lda = left_first ? g->lda : g->ldb;
    first.B = left_first ? g->B : g->C, first.ldb = left_first ? g->ldb : g->ldc;
    first.C = between, first.ldc = first.K;
    second.M = g->M, second.N = left_first ? g->K : g->N, second.K = g->L;
    second.A = left_first ? between : g->A, second.lda = left_first ? first.ldc : g->lda;
    second.B = left_first ? g->C : between, second.ldb = left_first ? g->ldc : first.ldc;
    second.C = g->E, second.ldc = g->lde;
    second.alpha = empty ? 0 : g->alpha, second.beta = g->beta;
    if (!empty) multiply_one(&first, 0, 0);
    multiply_one(&second, 0, 0);
    return SOLVE_OK;
}

static int multiply_call(const solve_chain_t* g, bool left_first) {
    if (const int code = refusal_of(g); code != SOLVE_OK) return code;
    try {
        std::vector<float> between(left_first ? (size_t)g->M * g->K : (size_t)g->N * g->L);
        return multiply_chain(g, left_first, between.data());
    } catch (const std::bad_alloc&) {
        return SOLVE_DEVICE_ERROR;
    }
}

static solve_chain_t dense_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    solve_chain_t g = solve_chain_one();
    g.M = M, g.N = N, g.K = K, g.L = L;
    g.A = A, g.lda = N, g.B = B, g.ldb = K, g.C = C, g.ldc = L, g.E = E, g.lde = L;
    return g;
}

extern "C" void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    const solve_chain_t g = dense_chain(A, B, C, E, M, N, K, L);
    multiply_call(&g, true);
}
