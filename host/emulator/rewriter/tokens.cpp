#include "tokens.h"

#include <cctype>
#include <charconv>

namespace emulator {
namespace {

bool starts_identifier(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80);
}
bool continues_identifier(char c) {
    return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c));
}

// Past the end of the quoted literal whose opening quote is at `at`; an unterminated one ends with its line.
size_t skip_quoted(std::string_view text, size_t at) {
    const char quote = text[at++];
    while (at < text.size() && text[at] != quote && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
}

// The same for R"delimiter( ... )delimiter".
size_t skip_raw_string(std::string_view text, size_t quote) {
    const size_t open = text.find('(', quote);
    if (open == std::string_view::npos) return text.size();
    const std::string close = ")" + std::string(text.substr(quote + 1, open - quote - 1)) + "\"";
    const size_t found = text.find(close, open);
    return found == std::string_view::npos ? text.size() : found + close.size();
}

size_t skip_number(std::string_view text, size_t at) {
    while (at < text.size()) {
        const char c = text[at], previous = text[at - 1];
        const bool exponent_sign =
            (c == '+' || c == '-') && (previous == 'e' || previous == 'E' || previous == 'p' || previous == 'P');
        const bool separator =
            c == '\'' && at + 1 < text.size() && std::isalnum(static_cast<unsigned char>(text[at + 1]));
        if (!continues_identifier(c) && c != '.' && !exponent_sign && !separator) break;
        ++at;
    }
    return at;
}

bool is_literal_prefix(std::string_view word) {
    for (std::string_view prefix : {"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"}) {
        if (word == prefix) return true;
    }
    return false;
}

// Where the build finds the headers that have CUDA's names.
constexpr std::string_view kOwnHeaders = "host/emulator/include/";

struct Linemarker {
    int line = 0;  // 0: not a linemarker but some other directive, such as a pragma
    std::string file;
    bool system = false;
};

// # 12 "file.h" 1 3 4: flag 3 marks a system header.
Linemarker parse_linemarker(std::string_view directive) {
    Linemarker marker;
    const size_t digits = directive.find_first_not_of("# \t");
    if (digits == std::string_view::npos) return marker;
    std::from_chars(directive.data() + digits, directive.data() + directive.size(), marker.line);
    const size_t open = directive.find('"');
    const size_t close = directive.rfind('"');
    if (marker.line == 0 || open == close) return {};
    marker.file = directive.substr(open + 1, close - open - 1);
    marker.system = directive.find('3', close) != std::string_view::npos;
    return marker;
}

bool at_line_start(std::string_view text, size_t at) {
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
    return at == 0 || text[at - 1] == '\n';
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
    std::vector<Token> tokens;
    bool system = false, library = false;
    size_t at = 0;
    const auto add = [&](Token::Kind kind, size_t end) {
        tokens.push_back({kind, at, end, text.substr(at, end - at), system, library});
        at = end;
    };
    while (at < text.size()) {
        const char c = text[at];
        if (std::isspace(static_cast<unsigned char>(c))) {
            ++at;
        } else if (c == '#' && at_line_start(text, at)) {
            const size_t end = std::min(text.find('\n', at), text.size());
            const Linemarker marker = parse_linemarker(text.substr(at, end - at));
            if (marker.line > 0) {
                system = marker.system;
                library = system || marker.file.find(kOwnHeaders) != std::string::npos;
            }
            at = end;
        } else if (starts_identifier(c)) {
            size_t end = at + 1;
            while (end < text.size() && continues_identifier(text[end])) ++end;
            const bool quoted = end < text.size() && (text[end] == '"' || text[end] == '\'');
            if (quoted && is_literal_prefix(text.substr(at, end - at))) {
                const bool raw = text[end - 1] == 'R' && text[end] == '"';
                add(Token::kLiteral, raw ? skip_raw_string(text, end) : skip_quoted(text, end));
            } else {
                add(Token::kIdentifier, end);
            }
        } else if (std::isdigit(static_cast<unsigned char>(c))) {
            add(Token::kNumber, skip_number(text, at + 1));
        } else if (c == '"' || c == '\'') {
            add(Token::kLiteral, skip_quoted(text, at));
        } else {
            add(Token::kPunctuation, at + 1);
        }
    }
    return tokens;
}

Location locate(std::string_view text, size_t offset) {
    Location location{"<input>", 1};
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        if (offset <= end) break;
        const std::string_view line = text.substr(begin, end - begin);
        const Linemarker marker = line.starts_with('#') ? parse_linemarker(line) : Linemarker{};
        if (marker.line > 0) {
            location = {marker.file, marker.line};
        } else {
            ++location.line;
        }
        begin = end + 1;
    }
    return location;
}

}  // namespace emulator
