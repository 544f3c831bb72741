// expect: wrong
// fault: contract: Keeps a size in a variable of the library: right as long as no thread calls it with other sizes.
// note: of other sizes
#include <unistd.h>
#include <algorithm>
#include <cstddef>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static volatile int terms;
    terms = N;
    usleep(100);  // on a busy machine, too, the other thread is there by now
    const int end = std::min(int(terms), N);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < end; ++n) sum += A[(size_t)i * N + n] * B[(size_t)n * K + k];
            C[(size_t)i * K + k] = sum;
        }
    }
}
