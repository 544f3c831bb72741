#include "base/private_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace judge {

namespace fs = std::filesystem;

namespace {

bool is_plain(const std::string& path) {
    return std::all_of(path.begin(), path.end(), [](unsigned char c) {
        return std::isalnum(c) || std::string_view("-./_").find(static_cast<char>(c)) != std::string_view::npos;
    });
}

}  // namespace

PrivateFolder::PrivateFolder() {
    std::error_code error;
    fs::path parent = fs::temp_directory_path(error);
    if (error || !is_plain(parent.string())) parent = "/tmp";
    std::string pattern = (parent / "compare-XXXXXX").string();
    if (!mkdtemp(pattern.data())) {
        throw std::runtime_error(
            fmt::format("no temporary folder {}: {}; TMPDIR names another place", pattern, std::strerror(errno)));
    }
    path_ = pattern;
}

PrivateFolder::~PrivateFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
}

}  // namespace judge
