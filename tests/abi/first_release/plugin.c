/* A plugin as somebody may have written it for the first release: every entry of its solve.h, plainly. */
#include <stdint.h>
#include <stdlib.h>

#include "solve.h"

static _Thread_local const char* error;

static int fail(int code, const char* text) {
    error = text;
    return code;
}

const char* solve_last_error(void) { return error; }

const solve_info_t* solve_info(void) {
    static const solve_info_t info = {
        .size = sizeof(solve_info_t),
        .abi_version = SOLVE_ABI_VERSION,
        .name = "first_release",
        .summary = "three loops",
        .source = "tests/abi",
        .memory = SOLVE_MEMORY_HOST,
        .arithmetic = SOLVE_ARITHMETIC_FP32,
        .entries = SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_LAST_ERROR | SOLVE_ENTRY_ENQUEUE | SOLVE_ENTRY_CHAIN |
                   SOLVE_ENTRY_GEMM | SOLVE_ENTRY_CHAIN_ENQUEUE,
    };
    return &info;
}

static int is_wrong(const solve_gemm_t* g) {
    const int some = g->batch > 0;
    if (g->M < 0 || g->N < 0 || g->K < 0 || g->batch < 0) return 1;
    if (g->transpose_a > SOLVE_T || g->transpose_b > SOLVE_T || g->bias_kind > SOLVE_BIAS_OF_COLUMNS) return 1;
    if ((g->transpose_a ? g->N : g->M) > 0 && g->lda < (g->transpose_a ? g->M : g->N)) return 1;
    if ((g->transpose_b ? g->K : g->N) > 0 && g->ldb < (g->transpose_b ? g->N : g->K)) return 1;
    if (g->M > 0 && g->ldc < g->K) return 1;
    if (some && !g->A && !g->A_array && g->M > 0 && g->N > 0) return 1;
    if (some && !g->B && !g->B_array && g->N > 0 && g->K > 0) return 1;
    if (some && !g->C && !g->C_array && g->M > 0 && g->K > 0) return 1;
    return some && g->bias_kind != SOLVE_BIAS_NONE && !g->bias && g->M > 0 && g->K > 0;
}

static void multiply(const solve_gemm_t* g, int64_t p) {
    const float* const A = g->A_array ? g->A_array[p] : g->A + p * g->stride_a;
    const float* const B = g->B_array ? g->B_array[p] : g->B + p * g->stride_b;
    float* const C = g->C_array ? g->C_array[p] : g->C + p * g->stride_c;
    for (int64_t i = 0; i < g->M; ++i) {
        for (int64_t j = 0; j < g->K; ++j) {
            float sum = 0, *const c = C + i * g->ldc + j;
            for (int64_t n = 0; n < g->N && g->alpha != 0; ++n) {
                sum += (g->transpose_a ? A[n * g->lda + i] : A[i * g->lda + n]) *
                       (g->transpose_b ? B[j * g->ldb + n] : B[n * g->ldb + j]);
            }
            sum = g->alpha != 0 && g->N > 0 ? g->alpha * sum : 0;
            if (g->beta != 0) sum += g->beta * *c;
            if (g->bias_kind) sum += g->bias[p * g->stride_bias + (g->bias_kind == SOLVE_BIAS_OF_ROWS ? i : j)];
            *c = sum;
        }
    }
}

/* Whether a struct is longer than ours, and not 0 there. */
static int asks_for_more(const void* call, size_t ours, uint32_t size) {
    for (size_t at = ours; at < size; ++at) {
        if (((const unsigned char*)call)[at]) return 1;
    }
    return 0;
}

int solve_gemm(const solve_gemm_t* g) {
    error = 0;
    if (!g || g->size < sizeof *g) return fail(SOLVE_INVALID_ARGUMENT, "no call");
    if (asks_for_more(g, sizeof *g, g->size)) return fail(SOLVE_UNSUPPORTED, "a field of later");
    if (g->accuracy > SOLVE_ARITHMETIC_BF16 || is_wrong(g)) return fail(SOLVE_INVALID_ARGUMENT, "a wrong argument");
    for (int64_t p = 0; p < g->batch; ++p) multiply(g, p);
    return SOLVE_OK;
}

int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
                  float alpha, float beta, void* stream) {
    solve_gemm_t g = solve_gemm_one();
    g.M = M, g.N = N, g.K = K, g.alpha = alpha, g.beta = beta, g.stream = stream;
    g.A = A, g.lda = lda, g.B = B, g.ldb = ldb, g.C = C, g.ldc = ldc;
    return solve_gemm(&g);
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    solve_enqueue(A, N, B, K, C, K, M, N, K, 1, 0, 0);
}

static int is_missing(const float* matrix, int rows, int cols, int64_t leading) {
    return (!matrix && rows > 0 && cols > 0) || (rows > 0 && leading < cols);
}

int solve_chain_enqueue(const solve_chain_t* g) {
    solve_gemm_t first = solve_gemm_one(), last = solve_gemm_one();
    float* between;
    error = 0;
    if (!g || g->size < sizeof *g) return fail(SOLVE_INVALID_ARGUMENT, "no call");
    if (asks_for_more(g, sizeof *g, g->size)) return fail(SOLVE_UNSUPPORTED, "a field of later");
    if (g->M < 0 || g->N < 0 || g->K < 0 || g->L < 0 || g->accuracy > SOLVE_ARITHMETIC_BF16 ||
        is_missing(g->A, g->M, g->N, g->lda) || is_missing(g->B, g->N, g->K, g->ldb) ||
        is_missing(g->C, g->K, g->L, g->ldc) || is_missing(g->E, g->M, g->L, g->lde)) {
        return fail(SOLVE_INVALID_ARGUMENT, "a wrong argument");
    }
    between = malloc((size_t)g->M * g->K * sizeof(float) + 1);
    if (!between) return fail(SOLVE_DEVICE_ERROR, "no memory");
    first.M = g->M, first.N = g->N, first.K = g->K;
    first.A = g->A, first.lda = g->lda, first.B = g->B, first.ldb = g->ldb, first.C = between, first.ldc = g->K;
    last.M = g->M, last.N = g->K, last.K = g->L, last.alpha = g->N > 0 ? g->alpha : 0, last.beta = g->beta;
    last.A = between, last.lda = g->K, last.B = g->C, last.ldb = g->ldc, last.C = g->E, last.ldc = g->lde;
    if (last.alpha != 0) multiply(&first, 0);
    multiply(&last, 0);
    free(between);
    return SOLVE_OK;
}

void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    solve_chain_t g = solve_chain_one();
    g.M = M, g.N = N, g.K = K, g.L = L;
    g.A = A, g.lda = N, g.B = B, g.ldb = K, g.C = C, g.ldc = L, g.E = E, g.lde = L;
    solve_chain_enqueue(&g);
}
