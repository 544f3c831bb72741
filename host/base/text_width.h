// How much room text takes on a terminal, where each character that is printed here takes one column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace judge {

// Characters of UTF-8, not bytes.
size_t width(std::string_view text);

// Of a text of more than `most` characters its beginning and its end, with an ellipsis between them.
std::string shortened(const std::string& text, size_t most);

// In lines of at most so many characters, which end between words where they can; those after the first are indented by
// two columns more than the first. 0 columns: as it is.
std::string wrapped(const std::string& text, size_t columns);

}  // namespace judge
