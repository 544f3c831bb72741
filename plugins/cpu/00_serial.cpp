// Three loops: the definition, on one CPU core.
//
// Each element of C is one sum, taken in the order n = 0, 1, 2, ... and rounded to FP32 at every step. This is what
// every rung of the ladder computes; the rungs differ in who does which part of it when.
//
// Limit: one multiply-add at a time, each waiting for the one before it (about 4 cycles), and a walk down a column
// of B that takes a new cache line (64 bytes) for every 4 bytes used.
// Source: the definition; FT compares with it.
#include "../common/export/host.h"

namespace cpu_00 {

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
        for (int j = 0; j < K; ++j) {
            float sum = 0.0f;
            for (int n = 0; n < N; ++n) sum += A[size_t(i) * N + n] * B[size_t(n) * K + j];
            C[size_t(i) * K + j] = sum;
        }
    }
}

}  // namespace cpu_00

SOLVE_EXPORT(cpu_00::multiply, .summary = "three loops on one CPU core",
             .source = "the definition; FT compares with it")
