// A library's file as it was at one moment, so that whoever rebuilds it during a run does no harm: a file that shrinks
// while it is mapped ends the process with SIGBUS, and one that grows may be half of a library.
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

// A private copy of a library that a worker loads in the file's place.
class LibraryCopy {
  public:
    // Waits until the file has settled, and reads it. Throws std::runtime_error if by now it is none that could be
    // loaded.
    explicit LibraryCopy(const std::filesystem::path& path);
    ~LibraryCopy();
    LibraryCopy(const LibraryCopy&) = delete;
    LibraryCopy& operator=(const LibraryCopy&) = delete;

    const std::string& sha256() const { return sha256_; }  // of the bytes that were read

    // Of the copy, in memory and without a name: nothing is left of it when the last holder has gone. -1 where the
    // library must be loaded from its own place, for the reason in note().
    int descriptor() const { return descriptor_; }
    const std::string& note() const { return note_; }

  private:
    std::string sha256_;
    std::string note_;
    int descriptor_ = -1;
};

}  // namespace judge
