// expect: suspicious
// fault: F25: C is right; each call leaves a file in the directory for temporary ones.
#include <unistd.h>
#include <cstdlib>
#include <string>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    const char* directory = std::getenv("TMPDIR");
    std::string name = std::string(directory ? directory : "/tmp") + "/left_by_a_plugin.XXXXXX";
    close(mkstemp(name.data()));
}
