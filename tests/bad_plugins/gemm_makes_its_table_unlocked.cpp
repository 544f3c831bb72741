// expect: wrong
// fault: contract: solve_gemm says that its table is there, and then fills it: another first call reads zeros.
// options: --op gemm:NT --batch 40
// note: the first two calls of a process
#include <vector>

#include "complete_gemm.h"

static std::vector<float> ones;
static bool filled = false;

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    if (!filled) {
        filled = true;
        ones.resize(16, 1.0f);
    }
    solve_gemm_t g = *given;
    g.alpha *= ones.empty() ? 0 : ones[0];
    return multiply_all(&g);
}
