// expect: crashed
// fault: F15: Recurses without end.

static int depth(volatile char* above) {
    volatile char frame[4096];
    frame[0] = above[0];
    return depth(frame) + frame[0];
}

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    volatile char start = 0;
    depth(&start);
}
