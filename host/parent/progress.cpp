#include "parent/progress.h"

#include <unistd.h>

#include <cstdio>

#include "base/clean_text.h"

namespace judge {

Progress::Progress() : terminal_(isatty(STDERR_FILENO)) {}

Progress::~Progress() {
    show("");
}

void Progress::show(const std::string& text) const {
    if (!terminal_) return;
    const std::string line = "\r\033[K" + cleaned(text, 100);
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace judge
