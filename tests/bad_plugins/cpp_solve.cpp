// expect: load-error
// fault: F10: Forgot extern "C": the name is mangled.

void solve(const float*, const float*, float*, int, int, int) {}
