// Directories, files and libraries made for one test.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace unit {

namespace fs = std::filesystem;

// An empty directory, removed with all that is in it.
class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string name = (fs::temp_directory_path() / "unit_test.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory: " + name);
        path_ = fs::canonical(name);
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const fs::path& path() const { return path_; }
    fs::path operator/(const fs::path& name) const { return path_ / name; }

  private:
    fs::path path_;
};

inline void write_file(const fs::path& file, const std::string& bytes) {
    fs::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream << bytes;
    stream.close();
    if (!stream) throw std::runtime_error("cannot write " + file.string());
}

inline std::string read_file(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    return bytes.str();
}

// Compiles C++ source with the compiler that is there by definition; `flags` decide into what.
inline fs::path compile(const fs::path& output, const std::string& source, const std::string& flags) {
    const fs::path file = output.string() + ".cpp";
    write_file(file, source);
    const std::string command = fmt::format("${{CXX:-c++}} -std=c++17 -O2 -ftree-vectorize -fPIC {} '{}' -o '{}'",
                                            flags, file.string(), output.string());
    const bool built = std::system(command.c_str()) == 0;
    fs::remove(file);
    if (!built) throw std::runtime_error("does not build: " + command);
    return output;
}

inline fs::path compile_library(const fs::path& output, const std::string& source, const std::string& flags = {}) {
    return compile(output, source, "-shared " + flags);
}

// A library that discovery accepts and that does nothing.
constexpr const char* kEmptySolve = "extern \"C\" void solve(const float*, const float*, float*, int, int, int) {}\n";

}  // namespace unit
