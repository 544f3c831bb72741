// expect: wrong
// fault: contract: solve_chain_enqueue takes beta for 0.
// options: --op chain --shape 33x17x29x31
// note: alpha -0.5, beta 0.75
#include "chain.h"

extern "C" int solve_chain_enqueue(const solve_chain_t* g) {
    solve_chain_t without = *g;
    if (g->size <= sizeof(without)) g = &without;
    without.beta = 0;
    return multiply_call(g, true);
}
