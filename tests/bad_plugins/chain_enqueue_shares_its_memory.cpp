// expect: wrong
// fault: contract: solve_chain_enqueue keeps the product between in memory that all calls share.
// options: --op chain --shape 33x17x29x31
// note: but not w
#include "chain.h"

extern "C" int solve_chain_enqueue(const solve_chain_t* g) {
    static float between[1 << 20];
    if (const int code = refusal_of(g); code != SOLVE_OK) return code;
    return (int64_t)g->M * g->K > 1 << 20 ? multiply_call(g, true) : multiply_chain(g, true, between);
}
