// expect: ok
// fault: F29: A static that g++ makes unique in a process (STB_GNU_UNIQUE): a second plugin with it would find it used.
#include "multiply.h"

template <class>
struct Shared {
    static int loads;
};
template <class T>
int Shared<T>::loads = 0;

static int loads() {
    return Shared<int>::loads;
}

__attribute__((constructor)) static void count() {
    ++Shared<int>::loads;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (loads() == 1) multiply(A, B, C, M, N, K);
}
