// The files that a library was made from, as the compiler's .d file names them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace judge {

// The prerequisites of all rules in `rules`, which are written for make; relative ones are below `root`. Without those
// of the system, in /usr, and of the emulator, which nobody edits beside a kernel.
std::vector<std::filesystem::path> dependencies_in(const std::string& rules, const std::filesystem::path& root);

}  // namespace judge
