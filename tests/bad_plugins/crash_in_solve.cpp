// expect: crashed
// fault: F15 F18: Writes through a null pointer.

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    *(volatile int*)nullptr = 1;
}
