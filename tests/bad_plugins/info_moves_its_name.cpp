// expect: wrong
// fault: contract: the name in solve_info lies in another place at every second call.
// note: solve_info() says something else than before the calls
#include "../../abi/solve.h"
#include "multiply.h"

extern "C" const solve_info_t* solve_info() {
    static const char names[2][8] = {"a name", "a name"};
    static int calls = 0;
    static solve_info_t info = {sizeof(solve_info_t), SOLVE_ABI_VERSION, "", "", "", SOLVE_MEMORY_HOST};
    info.name = names[calls++ % 2];
    return &info;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    multiply(A, B, C, M, N, K);
}
