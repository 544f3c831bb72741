// expect: crashed
// fault: F15: Lets a C++ exception out of the C function.
#include <stdexcept>

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    throw std::runtime_error("not today");
}
