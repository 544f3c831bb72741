// expect: not-written
// fault: W5: Returns without a word, as after a launch that failed.

extern "C" void solve(const float*, const float*, float*, int, int, int) {}
