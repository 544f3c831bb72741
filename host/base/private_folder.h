// A folder for what is needed only while the program runs.
#pragma once

#include <filesystem>

namespace judge {

// In the folder for temporary files, readable by this user only, and removed with all that is in it. Its path holds
// letters, digits and - . / _ only, whatever TMPDIR says, so that make and a shell read it as one word.
class PrivateFolder {
  public:
    PrivateFolder();  // throws std::runtime_error with the cause where there is no room for one
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace judge
