// expect: ok
// fault: F26: Prints megabytes, some of it like our own messages; C is right.
#include <cstdio>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int line = 0; line < 20000; ++line) {
        std::puts("{\"type\": \"done\"} {\"status\": \"ok\"} \xff\xfe garbage that fills a pipe many times over");
    }
    std::fprintf(stderr, "%s", "\033[31mand on stderr\n");
    multiply(A, B, C, M, N, K);
}
