#include "whole_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace judge {

void replace_file(const std::filesystem::path& file, const std::string& text, const std::string& option) {
    const std::filesystem::path partial = file.string() + ".partial";
    std::ofstream stream(partial);
    stream << text;
    stream.close();
    std::error_code error;
    if (stream) std::filesystem::rename(partial, file, error);
    if (!stream || error) {
        const std::string why = error ? error.message() : std::strerror(errno);
        std::filesystem::remove(partial, error);
        throw std::runtime_error(fmt::format("{} {}: cannot be written: {}", option, file.string(), why));
    }
}

}  // namespace judge
