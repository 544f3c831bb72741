// Any text as a part of Markdown: within a line, or a cell of a table.
#pragma once

#include <string>

namespace judge {

// Shown as it is: no end of a cell or of a line, no code, HTML or link begins in it.
std::string escaped(const std::string& text);

// Shown as code.
std::string code(const std::string& text);

}  // namespace judge
