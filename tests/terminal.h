// Pseudo-terminals, which a machine has where /dev/pts is mounted: a bare container may have none.
#pragma once

#include <pty.h>
#include <unistd.h>

#include <cstdio>

namespace test {

// Whether there are any; if not, says that the test of this name is skipped.
inline bool has_terminals(const char* test) {
    int master = -1, end = -1;
    if (openpty(&master, &end, nullptr, nullptr, nullptr) != 0) {
        std::printf("SKIPPED: %s: no pseudo-terminal can be opened (is /dev/pts mounted?)\n", test);
        return false;
    }
    close(master);
    close(end);
    return true;
}

}  // namespace test
