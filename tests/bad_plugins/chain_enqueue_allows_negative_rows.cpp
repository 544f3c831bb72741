// expect: wrong
// fault: contract: solve_chain_enqueue looks at the size of a leading dimension, and not at its sign.
// options: --op chain --shape 33x17x29x31
// note: returns 0, not 1
#include <cstdlib>

#include "chain.h"

extern "C" int solve_chain_enqueue(const solve_chain_t* given) {
    if (given == nullptr || given->size != sizeof(solve_chain_t)) return multiply_call(given, true);
    solve_chain_t call = *given;
    for (int64_t* dimension : {&call.lda, &call.ldb, &call.ldc, &call.lde}) *dimension = std::llabs(*dimension);
    const bool negative = given->lda < 0 || given->ldb < 0 || given->ldc < 0 || given->lde < 0;
    const int code = refusal_of(&call);
    return negative || code != SOLVE_OK ? code : multiply_call(given, true);
}
