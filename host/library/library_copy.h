// A private copy of a library's file as it was at one moment, which a worker loads in the file's place: whoever
// rebuilds the library during a run then does no harm. Sealed: no plugin can change what the next worker loads.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace judge {

// SHA-256 as 64 hexadecimal digits (FIPS 180-4): names in a record which build of a plugin was judged.
std::string sha256(std::string_view bytes);

class LibraryCopy {
  public:
    // Waits until the file has settled, and reads it. Throws std::runtime_error if by now it is none that could be
    // loaded.
    explicit LibraryCopy(const std::filesystem::path& path);
    ~LibraryCopy();
    LibraryCopy(const LibraryCopy&) = delete;
    LibraryCopy& operator=(const LibraryCopy&) = delete;

    const std::string& sha256() const { return sha256_; }  // of the bytes that were read

    // Of the copy, which is in memory and has no name: it is gone when its last holder is. -1 where the library must be
    // loaded from its own place, for the reason in note().
    int descriptor() const { return descriptor_; }
    const std::string& note() const { return note_; }

  private:
    std::string sha256_;
    std::string note_;
    int descriptor_ = -1;
};

}  // namespace judge
