// The bytes of a library's file, read and never mapped: a file that shrinks while it is mapped ends the process with
// SIGBUS, and one that grows may be half of a library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace judge {

constexpr uint64_t kLargestLibrary = uint64_t{512} << 20;  // bytes; the vendor's own cuBLAS has 100 MB to 700 MB

// The bytes of a regular file that opens and is not larger than kLargestLibrary; empty for any other. Never blocks.
std::string read_library(const std::filesystem::path& path);

// Waits until the file was last written 300 ms ago, since a compiler may be at work on it; at most 3 s.
void wait_until_settled(const std::filesystem::path& path);

}  // namespace judge
