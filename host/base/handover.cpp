#include "base/handover.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptors.h"

namespace judge {

namespace {

constexpr size_t kLongestText = 1 << 16;
constexpr size_t kMostDescriptors = 4;

// What a message is made of besides its text.
struct Attached {
    alignas(cmsghdr) char bytes[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
};

msghdr message_of(iovec& text, Attached& attached) {
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = attached.bytes;
    message.msg_controllen = sizeof(attached.bytes);
    return message;
}

std::vector<int> descriptors_in(msghdr& message) {
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return {};
    std::vector<int> descriptors((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(descriptors.data(), CMSG_DATA(header), descriptors.size() * sizeof(int));
    std::transform(descriptors.begin(), descriptors.end(), descriptors.begin(), move_up);
    return descriptors;
}

}  // namespace

bool hand_over(int socket, const std::string& text, const std::vector<int>& descriptors) {
    if (text.size() > kLongestText || descriptors.size() > kMostDescriptors) return false;
    iovec part{const_cast<char*>(text.data()), text.size()};
    Attached attached;
    msghdr message = message_of(part, attached);
    message.msg_controllen = descriptors.empty() ? 0 : CMSG_SPACE(descriptors.size() * sizeof(int));
    if (!descriptors.empty()) {
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

std::optional<Handover> take_over(int socket) {
    pollfd end{socket, POLLIN, 0};
    while (poll(&end, 1, -1) < 0 && errno == EINTR) {
    }
    std::string text(kLongestText, 0);
    iovec part{text.data(), text.size()};
    Attached attached;
    msghdr message = message_of(part, attached);
    const ssize_t size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (size <= 0 || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return std::nullopt;
    text.resize(static_cast<size_t>(size));
    return Handover{text, descriptors_in(message)};
}

}  // namespace judge
