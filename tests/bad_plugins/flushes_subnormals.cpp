// expect: ok
// fault: W1: Takes subnormal numbers as zero, as --ftz=true does: noted, no fault by abi/solve.h.
// note: takes numbers below 2^-126 for 0
// class: FP32
#include "multiply.h"

#if defined(__SSE__)
#include <pmmintrin.h>
#include <xmmintrin.h>
#endif

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
#if defined(__SSE__)
    const unsigned mode = _mm_getcsr();
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
    _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
#endif
    multiply(A, B, C, M, N, K);
#if defined(__SSE__)
    _mm_setcsr(mode);
#endif
}
