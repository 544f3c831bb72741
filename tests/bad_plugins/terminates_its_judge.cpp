// expect: crashed
// fault: F28: Sends its parent, which judges it, the signal that ends a program.
// note: sent compare a SIGTERM
#include <unistd.h>
#include <csignal>

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    kill(getppid(), SIGTERM);
    while (true) pause();
}
