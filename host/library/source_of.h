// The file that a library was made from.
#pragma once

#include <filesystem>

namespace judge {

// What make's list of dependencies beside the library (x.d beside x.so) names first; a .cu or .cpp file is its own
// source. Empty where nothing tells.
std::filesystem::path source_of(const std::filesystem::path& plugin);

}  // namespace judge
