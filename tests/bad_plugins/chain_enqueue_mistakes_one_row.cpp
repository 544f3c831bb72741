// expect: wrong
// fault: W8: solve_chain_enqueue has a way of its own for one row, which takes the rows of B to lie without a gap.
// options: --op chain --shape 33x17x29x31
// note: solve_chain_enqueue, 1x22x27x24, rows padded by 3
#include "chain.h"

extern "C" int solve_chain_enqueue(const solve_chain_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_chain_t g = *given;
    if (g.M == 1) g.ldb = g.K;
    return multiply_call(&g, true);
}
