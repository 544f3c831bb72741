#include "base/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/clean_text.h"

namespace judge {

namespace {

constexpr size_t kLongestLine = 4096;

}  // namespace

namespace {

std::function<void()> make_room;

}  // namespace

void before_complaints(std::function<void()> call) {
    make_room = std::move(call);
}

std::string print(std::string_view text) {
    errno = 0;
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    return std::fflush(stdout) == 0 && written ? "" : std::strerror(errno);
}

void print_messages(std::string_view text) {
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const size_t indent = std::min(line.find_first_not_of(' '), line.size());
        // cleaned() would join what the compiler sets apart, such as the mark below a column.
        std::string shown(line.substr(0, indent));
        for (size_t from = indent; from < line.size();) {
            const size_t to = std::min(line.find("  ", from), line.size());
            shown += cleaned(line.substr(from, to - from), kLongestLine);
            const size_t next = std::min(line.find_first_not_of(' ', to), line.size());
            shown.append(next - to, ' ');
            from = next;
        }
        shown += '\n';
        std::fwrite(shown.data(), 1, shown.size(), stderr);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void complain(std::string_view text) {
    if (make_room) make_room();
    const std::string line = "compare: " + cleaned(text, kLongestLine) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace judge
