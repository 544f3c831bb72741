// expect: crashed
// fault: F28: Sends its parent, which judges it, signals that end a program.
// note: sent compare a SIG
#include <unistd.h>
#include <csignal>
#include <initializer_list>

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    for (const int number : {SIGTERM, SIGUSR1, SIGSEGV, SIGPIPE, SIGRTMIN}) kill(getppid(), number);
    while (true) pause();
}
