// The manual page, in the man macros of roff.
#pragma once

#include <string>
#include <vector>

#include "parent/option_table.h"

namespace judge {

// Section 1. `summary` is the program in a sentence, `notes` what --help says behind the options.
std::string man_page(const std::string& summary, const std::vector<OptionEntry>& options, const std::string& notes);

}  // namespace judge
