// Text of others as a part of a page.
#pragma once

#include <string>
#include <string_view>

namespace judge::html {

// As one line, which is shown as it is, within an element or an attribute in double quotes; no tag, entity or reversal
// of direction begins in it. Of more than `most` characters the beginning.
std::string text(std::string_view text, size_t most = 1000);

// A name within a sentence: of any direction of writing, it does not change the order of the words around it.
std::string name(std::string_view text);

// Several lines of source code, which keep their blanks.
std::string code(std::string_view line);

}  // namespace judge::html
