// expect: wrong
// fault: contract: solve_chain_enqueue subtracts the old E where M = K, N and L differ, and rows are padded.
// options: --op chain --shape 33x17x29x31
// note: solve_chain_enqueue, 40x29x40x33, rows padded by 1
#include "chain.h"

extern "C" int solve_chain_enqueue(const solve_chain_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_chain_t g = *given;
    const bool dense = g.lda == g.N && g.ldb == g.K && g.ldc == g.L && g.lde == g.L;
    if (g.M == g.K && g.N != g.M && g.L != g.M && g.N != g.L && !dense) g.beta = -g.beta;
    return multiply_call(&g, true);
}
