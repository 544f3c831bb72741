// expect: wrong
// fault: contract: solve_chain_enqueue multiplies from the right, and solve_chain from the left: not the same bits.
// options: --op chain --shape 33x17x29x31
// note: left other bits in E than solve_chain does
#include "chain.h"

extern "C" int solve_chain_enqueue(const solve_chain_t* g) {
    return multiply_call(g, false);
}
