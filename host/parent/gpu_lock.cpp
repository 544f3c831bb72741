#include "parent/gpu_lock.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace judge {

// The lock is an address: a socket's name in Linux's abstract namespace. Only one process can have it, the kernel takes
// it back when the process ends, and there is no file to leave behind or to lack the right to write.
GpuLock::GpuLock(const std::string& uuid, const std::function<bool()>& waiting)
    : uuid_(uuid), socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (socket_ < 0) throw std::runtime_error(fmt::format("socket: {}", std::strerror(errno)));
    const std::string name = "sgemm-ladder-" + uuid;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const size_t length = std::min(name.size(), sizeof(address.sun_path) - 1);
    std::copy_n(name.data(), length, address.sun_path + 1);  // a name that starts with a zero byte is abstract
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
    while (bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
        if (errno != EADDRINUSE) throw std::runtime_error(fmt::format("bind: {}", std::strerror(errno)));
        if (!waiting()) return;
        usleep(200'000);
    }
    held_ = true;
}

GpuLock::~GpuLock() {
    close(socket_);
}

}  // namespace judge
