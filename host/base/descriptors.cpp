#include "base/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace judge {

void open_standard_descriptors() {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
        // Opening takes the lowest number that is free.
        if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDWR);
    }
}

int move_up(int descriptor) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const int lowest = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1024) * 3 / 4);
    const int moved = descriptor < lowest ? fcntl(descriptor, F_DUPFD_CLOEXEC, lowest) : -1;
    if (moved < 0) return descriptor;
    close(descriptor);
    return moved;
}

}  // namespace judge
