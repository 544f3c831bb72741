#include "parent/progress.h"

#include <fmt/format.h>
#include <unistd.h>

namespace judge {

Progress::Progress() : terminal_(isatty(STDERR_FILENO)) {}

Progress::~Progress() {
    show("");
}

void Progress::show(const std::string& text) const {
    if (terminal_) fmt::print(stderr, "\r\033[K{}", text.substr(0, 100));
}

}  // namespace judge
