// How --help looks.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace CLI {
class FormatterBase;
}

namespace judge {

// Each option with what it takes, and beside it what it does, what values there are and which is the default, in lines
// of so many columns; 0: as many as stdout's terminal has, and no more than 120. What excludes what is told when both
// are given. `usage` is the line that says how the command is called, where that is not what the options come to.
std::shared_ptr<CLI::FormatterBase> help_format(const std::string& usage = {}, size_t columns = 0);

}  // namespace judge
