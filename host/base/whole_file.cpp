#include "base/whole_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

namespace judge {

std::string whole_text(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

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
        const std::error_code why = error ? error : std::error_code(errno, std::generic_category());
        if (!in_place) std::filesystem::remove(written, error);
        throw std::system_error(why, fmt::format("{} {}: cannot be written", option, file.string()));
    }
}

}  // namespace judge
