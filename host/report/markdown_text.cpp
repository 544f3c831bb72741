#include "report/markdown_text.h"

#include <algorithm>
#include <cstddef>

#include "base/clean_text.h"

namespace judge {

namespace {

constexpr size_t kMost = 4096;

}  // namespace

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : cleaned(text, kMost)) {
        if (std::string("\\|`<[").find(c) != std::string::npos) result += '\\';
        result += c;
    }
    return result;
}

std::string code(const std::string& text) {
    const std::string line = cleaned(text, kMost);
    size_t run = 0, longest = 0;
    for (const char c : line) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    // The marks are longer than any within; blanks keep them apart from one at an end.
    const std::string mark(longest + 1, '`'), blank = longest > 0 ? " " : "";
    return mark + blank + line + blank + mark;
}

}  // namespace judge
