// expect: crashed
// fault: F28: Kills its process group.
// note: SIGKILL
#include <csignal>

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    kill(0, SIGKILL);
}
