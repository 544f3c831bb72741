// The bytes of a library's file, read and never mapped: a file that shrinks while it is mapped ends the process with
// SIGBUS, and one that grows may be half of a library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace judge {

constexpr uint64_t kLargestLibrary = uint64_t{512} << 20;  // bytes; the vendor's own cuBLAS has 100 MB to 700 MB

// The bytes of a regular file that opens and is not larger than kLargestLibrary; empty for any other. Never blocks.
std::string read_library(const std::filesystem::path& path);

// The same file, read where somebody looks: of a library its headers and symbols, a tenth of it.
class LibraryParts {
  public:
    explicit LibraryParts(const std::filesystem::path& path);
    ~LibraryParts();
    LibraryParts(const LibraryParts&) = delete;
    LibraryParts& operator=(const LibraryParts&) = delete;

    uint64_t size() const { return size_; }  // 0 where read_library() is empty
    // The bytes from the file's beginning on, of which `size` from `offset` on are there; beyond the file's end, none.
    const char* read(uint64_t offset, uint64_t size);

  private:
    static constexpr uint64_t kBlock = 1 << 14;

    void read_block(uint64_t block);

    uint64_t size_ = 0;
    int descriptor_;
    std::unique_ptr<char[]> bytes_;
    std::vector<bool> is_there_;  // of each block
};

// Waits until the file was last written 300 ms ago, since a compiler may be at work on it; at most 3 s.
void wait_until_settled(const std::filesystem::path& path);

}  // namespace judge
