// Files that are read and written whole.
#pragma once

#include <filesystem>
#include <string>

namespace judge {

// Empty where there is none that can be read.
std::string whole_text(const std::filesystem::path& file);

// Writes the text beside `file` and renames it into place, so that whoever reads it finds all of it, or what was there
// before; but straight into what is there and is no regular file, as /dev/stdout. Throws std::system_error that names
// the option which asked for the file.
void replace_file(const std::filesystem::path& file, const std::string& text, const std::string& option);

}  // namespace judge
