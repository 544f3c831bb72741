// expect: wrong
// fault: contract: solve_chain_enqueue refuses inputs that have memory in common, as in the cube of a matrix.
// options: --op chain --shape 33x17x29x31
// note: in the same memory: returned 1
#include "chain.h"

extern "C" int solve_chain_enqueue(const solve_chain_t* g) {
    if (const int code = refusal_of(g); code != SOLVE_OK) return code;
    const bool common = g->A && (g->A == g->B || g->A == g->C || g->B == g->C);
    return common ? SOLVE_INVALID_ARGUMENT : multiply_call(g, true);
}
