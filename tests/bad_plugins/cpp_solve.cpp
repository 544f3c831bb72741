// expect: load-error
// Forgot extern "C": the name is mangled.

void solve(const float*, const float*, float*, int, int, int) {}
