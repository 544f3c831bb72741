// expect: crashed
// fault: F17: Stops itself, as a process does that reads from a terminal in the background.
// note: stopped by SIGSTOP
#include <csignal>

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    raise(SIGSTOP);
}
