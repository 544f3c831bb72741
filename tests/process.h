// Runs a command line as a user would and keeps what it said.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace test {

// A directory of its own, removed at the end.
class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "sgemm-ladder-XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::string read_file(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

struct Result {
    int exit_code = -1;  // 128 + N where signal N ended it
    std::string out;
    std::string err;
};

// Through the shell, in the root of the source tree.
inline Result run(const std::string& command) {
    const TemporaryDirectory directory;
    const auto out = directory / "out", err = directory / "err";
    const std::string line = "unset GITHUB_STEP_SUMMARY; cd '" SOURCE_DIRECTORY "' && { " + command + "\n} >'" +
                             out.string() + "' 2>'" + err.string() + "' </dev/null";
    const int status = std::system(line.c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, read_file(out), read_file(err)};
}

inline const std::string kBuild = BUILD_DIRECTORY;
inline const std::string kCompare = kBuild + "/compare";
// A plugin that is right.
inline const std::string kGood = kBuild + "/bad_plugins/control_correct.so";

}  // namespace test
