// expect: wrong
// fault: contract: solve_chain_enqueue puts the product between into a workspace that is too small for it.
// options: --op chain --shape 33x17x29x31
// note: with a workspace of
#include "chain.h"

extern "C" int solve_chain_enqueue(const solve_chain_t* g) {
    const int code = refusal_of(g);
    if (code != SOLVE_OK || !g->workspace || g->workspace_bytes == 0) return multiply_call(g, true);
    return multiply_chain(g, true, (float*)g->workspace);
}
