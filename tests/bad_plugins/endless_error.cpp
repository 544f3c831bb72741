// expect: suspicious
// fault: F26: Reports an error of 50 MB that clears the screen, ends lines and is no UTF-8; C is right.
// note: a | b `c`
#include <string>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}

extern "C" const char* solve_last_error() {
    static const std::string text = "\033[2J\033]0;title\a a | b\n`c`\r\xff" + std::string(50'000'000, '\b');
    return text.c_str();
}
