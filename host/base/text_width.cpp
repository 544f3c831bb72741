#include "base/text_width.h"

#include <algorithm>
#include <sstream>

namespace judge {

namespace {

bool begins_character(char byte) {
    return (byte & 0xc0) != 0x80;
}

// Where the character with this number begins.
size_t place_of(const std::string& text, size_t number) {
    size_t at = 0;
    for (; at < text.size(); ++at) {
        if (begins_character(text[at]) && number-- == 0) return at;
    }
    return at;
}

}  // namespace

size_t width(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string shortened(const std::string& text, size_t most) {
    const size_t all = width(text);
    if (all <= most) return text;
    if (most == 0) return "";
    const size_t end = (most - 1) / 3, begin = most - 1 - end;
    return text.substr(0, place_of(text, begin)) + "…" + text.substr(place_of(text, all - end));
}

std::string wrapped(const std::string& text, size_t columns) {
    if (columns == 0 || width(text) <= columns) return text;
    const std::string indent(std::min(text.find_first_not_of(' '), text.size()), ' '), more = indent + "  ";
    std::string result, line = indent;
    bool is_empty = true;
    std::istringstream words(text);
    for (std::string word; words >> word; is_empty = false) {
        if (!is_empty && width(line) + 1 + width(word) > columns) {
            result += line + "\n";
            line = more + word;
        } else {
            line += (is_empty ? "" : " ") + word;
        }
    }
    return result + line;
}

}  // namespace judge
