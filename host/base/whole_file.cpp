#include "base/whole_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace judge {

void replace_file(const std::filesystem::path& file, const std::string& text, const std::string& option) {
    std::error_code error;
    const auto there = symlink_status(file, error);
    const bool in_place = exists(there) && !is_regular_file(there);
    const std::filesystem::path written = in_place ? file.string() : file.string() + ".partial";
    std::ofstream stream(written);
    stream << text;
    stream.close();
    if (stream && !in_place) std::filesystem::rename(written, file, error);
    if (!stream || error) {
        const std::string why = error ? error.message() : std::strerror(errno);
        if (!in_place) std::filesystem::remove(written, error);
        throw std::runtime_error(fmt::format("{} {}: cannot be written: {}", option, file.string(), why));
    }
}

}  // namespace judge
