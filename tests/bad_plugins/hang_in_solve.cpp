// expect: timed-out
// fault: F16: Never returns.

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    for (volatile int i = 0;; i = i + 1) {
    }
}
