// The solve_chain that leaves the library, where the source has one.
#include "../../../abi/solve.h"
#include "callers_stream.h"

extern "C" void solve_chain_of_source(const float* A, const float* B, const float* C, float* E, int M, int N, int K,
                                      int L);

extern "C" void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    using namespace emulator;
    CallersStream caller(CallersStream::Entry::takes_none, nullptr);
    solve_chain_of_source(caller.input(A, extent(M, N, N)), caller.input(B, extent(N, K, K)),
                          caller.input(C, extent(K, L, L)), caller.output(E, extent(M, L, L)), M, N, K, L);
}
