#include "report/html/markup.h"

#include "base/clean_text.h"

namespace judge::html {

namespace {

std::string escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

}  // namespace

std::string text(std::string_view text, size_t most) {
    return escaped(cleaned(text, most));
}

std::string name(std::string_view name) {
    return "<bdi>" + text(name, 80) + "</bdi>";
}

std::string code(std::string_view line) {
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::string result(indent, ' ');
    size_t at = indent;
    // cleaned() makes one blank of several.
    while (at < line.size()) {
        const size_t blanks = line.find("  ", at);
        const size_t next = blanks == line.npos ? line.size() : line.find_first_not_of(' ', blanks);
        result += escaped(cleaned(line.substr(at, std::min(blanks, line.size()) - at), 1000));
        if (blanks == line.npos || next == line.npos) break;
        result.append(next - blanks, ' ');
        at = next;
    }
    return result;
}

}  // namespace judge::html
