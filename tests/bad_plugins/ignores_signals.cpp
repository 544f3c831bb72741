// expect: timed-out
// fault: F17: Hangs and ignores every signal that can be ignored.
#include <unistd.h>
#include <csignal>

extern "C" void solve(const float*, const float*, float*, int, int, int) {
    for (int number = 1; number < 32; ++number) std::signal(number, SIG_IGN);
    while (true) pause();
}
