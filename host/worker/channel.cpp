#include "worker/channel.h"

#include <unistd.h>

#include <cerrno>

namespace judge {

void Channel::send(const Message& message) const {
    const std::string line = line_of(message);
    for (size_t sent = 0; sent < line.size();) {
        const ssize_t count = write(descriptor_, line.data() + sent, line.size() - sent);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) _exit(1);
        sent += static_cast<size_t>(count);
    }
}

}  // namespace judge
