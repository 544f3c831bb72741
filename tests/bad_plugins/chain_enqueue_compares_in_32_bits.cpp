// expect: wrong
// fault: contract: solve_chain_enqueue compares a workspace with the bytes that it needs in 32 bits.
// options: --op chain --shape 33x17x29x31
// note: for enough, though the product between has
#include <cstdlib>

#include "chain.h"

extern "C" int solve_chain_enqueue(const solve_chain_t* g) {
    if (const int code = refusal_of(g); code != SOLVE_OK) return code;
    const unsigned needed = 4u * (unsigned)g->M * (unsigned)g->K;
    if (g->workspace && g->workspace_bytes >= needed) return multiply_chain(g, true, (float*)g->workspace);
    float* const own = (float*)malloc(sizeof(float) * (size_t)g->M * g->K);
    multiply_chain(g, true, own);
    free(own);
    return SOLVE_OK;
}
