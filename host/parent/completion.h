// Scripts by which a shell completes the command line.
#pragma once

#include <string>
#include <vector>

#include "parent/option_table.h"

namespace judge {

// For bash, zsh or fish, and for the name that make install gives the program too; empty for any other shell.
std::string completion_script(const std::vector<OptionEntry>& options, const std::string& shell);

}  // namespace judge
