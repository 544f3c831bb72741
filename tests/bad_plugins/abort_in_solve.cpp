// expect: crashed
// fault: F14: Aborts.
#include <cstdlib>

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    std::abort();
}
