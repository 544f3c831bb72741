// Text and open files, from one process to another that was started before there was anything to hand over.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace judge {

// Through a socket of type SOCK_SEQPACKET. False if nobody can get it any more, or it is too long.
bool hand_over(int socket, const std::string& text, const std::vector<int>& descriptors);

struct Handover {
    std::string text;
    std::vector<int> descriptors;  // by numbers of this process's own, high ones; closed by exec
};

// Waits for it. Nothing if the other end is closed without a word, or what comes is too long.
std::optional<Handover> take_over(int socket);

}  // namespace judge
