#include "base/clean_text.h"

#include <algorithm>
#include <array>

namespace judge {

namespace {

struct Character {
    char32_t code = 0xfffd;
    size_t bytes = 1;
};

// The first of a text that is not empty. What is too long for its character, a surrogate or too large is no UTF-8.
Character first_of(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return {byte(0), 1};
    const size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
    if (byte(0) < 0xc0 || byte(0) > 0xf4 || text.size() < bytes) return {};
    char32_t code = byte(0) & (0x7f >> bytes);
    for (size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3f);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < kLeast[bytes] || code > 0x10ffff || surrogate ? Character{} : Character{code, bytes};
}

// Of the escape sequence that the text begins with (ECMA-48): a control sequence up to its last letter, a string such
// as a window's title up to its end, or two characters.
size_t length_of_escape(std::string_view text) {
    if (text.size() < 2) return text.size();
    const auto up_to = [&](size_t end) { return std::min(end, text.size()); };
    if (text[1] == '[') {
        const auto last = std::find_if(text.begin() + 2, text.end(), [](char c) { return c >= 0x40 && c <= 0x7e; });
        return up_to(static_cast<size_t>(last - text.begin()) + 1);
    }
    if (std::string_view("]PX^_").find(text[1]) != text.npos) {
        const size_t end = text.find_first_of("\a\033", 2);
        if (end == text.npos) return text.size();
        return up_to(end + (text[end] == '\a' ? 1 : 2));
    }
    return 2;
}

bool is_space(char32_t code) {
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0x2028 || code == 0x2029;
}

bool is_harmful(char32_t code) {
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool direction =
        code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return control || direction;
}

}  // namespace

std::string cleaned(std::string_view text, size_t most) {
    std::string result;
    size_t characters = 0;
    bool space = false;
    for (size_t at = 0; at < text.size();) {
        if (text[at] == '\033') {
            at += length_of_escape(text.substr(at));
            continue;
        }
        const Character next = first_of(text.substr(at));
        if (is_space(next.code)) {
            space = !result.empty();
            at += next.bytes;
            continue;
        }
        characters += space ? 2 : 1;
        if (characters > most) return result + " ...";
        if (space) result += ' ';
        space = false;
        const bool invalid = next.code == 0xfffd && next.bytes == 1;
        result += invalid ? "\ufffd" : is_harmful(next.code) ? "?" : std::string(text.substr(at, next.bytes));
        at += next.bytes;
    }
    return result;
}

}  // namespace judge
