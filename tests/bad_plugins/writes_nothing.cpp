// expect: not-written
// Returns without a word, as after a launch that failed.

extern "C" void solve(const float*, const float*, float*, int, int, int) {}
