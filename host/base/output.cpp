#include "base/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/clean_text.h"

namespace judge {

std::string print(std::string_view text) {
    errno = 0;
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    return std::fflush(stdout) == 0 && written ? "" : std::strerror(errno);
}

void complain(std::string_view text) {
    const std::string line = "compare: " + cleaned(text, 4096) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace judge
