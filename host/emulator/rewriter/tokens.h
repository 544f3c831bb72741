// Splits preprocessed C++ into tokens that remember where they stand in the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace emulator {

struct Token {
    enum Kind { kIdentifier, kNumber, kLiteral, kPunctuation };
    Kind kind;
    size_t begin, end;       // offsets into the text
    std::string_view text;   // text.substr(begin, end - begin)
    bool in_system_header;   // as the linemarkers say
    bool in_library_header;  // that, or one of the emulator's own

    bool is(std::string_view what) const { return text == what; }
};

// Punctuation is one token per character ("<<<" is three): only the rewriter knows whether ">>>" ends a launch or
// closes three template argument lists. Linemarkers and white space are no tokens.
std::vector<Token> tokenize(std::string_view text);

struct Location {
    std::string file;
    int line;
};

// Where the character at `offset` came from, by the linemarkers before it.
Location locate(std::string_view text, size_t offset);

}  // namespace emulator
