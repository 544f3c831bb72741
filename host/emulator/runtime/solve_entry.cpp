// The solve that leaves the library. Linked only where the source has one.
#include "../../../abi/solve.h"
#include "solve_call.h"

// The source's own, which the recipe has renamed.
extern "C" void solve_of_source(const float* A, const float* B, float* C, int M, int N, int K);

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const emulator::SolveCall call(A, B, C, M, N, K);
    solve_of_source(A, B, C, M, N, K);
}
