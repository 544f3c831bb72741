// The source that a library was built from, where it is found.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "values/record.h"

namespace judge::html {

struct SourceFile {
    std::filesystem::path file;  // empty where it is not found
    std::string text;            // cut after kLargest bytes
    std::string note;            // why it is not found, or why it may be another than what was built

    static constexpr size_t kLargest = 64 << 10;
};

// The compiler's list of prerequisites beside the library (X.d) names it; else it is X.cu or X.cpp beside the library.
SourceFile find_source(const std::filesystem::path& library, const std::string& sha256);

// The beginning of any source; empty where it cannot be read.
std::string read_source(const std::filesystem::path& file);

// Each is looked for once: a page that is written after every row asks for the same ones again.
class SourceFiles {
  public:
    const SourceFile& of(const Row& row);

  private:
    std::map<std::filesystem::path, SourceFile> found_;
};

}  // namespace judge::html
