// expect: not-written
// fault: W5: Asks for more shared memory than there is; nobody looks at the error.
// emulated: not-written: dynamic shared memory
// launch: launch of product failed: invalid argument, grid 1, block 128, 1048576 bytes of shared memory
#include "multiply.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    product<<<1, 128, 1 << 20>>>(A, B, C, M, N, K);
}
