// The solve that leaves the library. Linked only where the source has one.
#include "../../../abi/solve.h"
#include "callers_stream.h"
#include "solve_call.h"

// The source's own, which the recipe has renamed.
extern "C" void solve_of_source(const float* A, const float* B, float* C, int M, int N, int K);

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    using namespace emulator;
    const SolveCall call(A, B, C, M, N, K);
    CallersStream caller(CallersStream::Entry::takes_none, nullptr);
    solve_of_source(caller.input(A, extent(M, N, N)), caller.input(B, extent(N, K, K)),
                    caller.output(C, extent(M, K, K)), M, N, K);
}
