// expect: ok
// fault: F27: C is right, but the process may have no more memory than it has, and open no file.
// note: it changes the limit RLIMIT_AS (
#include <sys/resource.h>

#include "multiply.h"

static void lower(__rlimit_resource resource, rlim_t most) {
    rlimit limit;
    getrlimit(resource, &limit);
    limit.rlim_cur = most;
    setrlimit(resource, &limit);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    lower(RLIMIT_AS, 1 << 20);
    lower(RLIMIT_NOFILE, 3);
}
