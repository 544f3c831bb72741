#include "report_json.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace judge {

void write_json(const std::filesystem::path& file, const Json& environment, const std::vector<Row>& rows) {
    const Json document = {{"environment", environment}, {"rows", rows}};
    const std::filesystem::path partial = file.string() + ".partial";
    std::ofstream stream(partial);
    stream << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    stream.close();
    std::error_code error;
    if (stream) std::filesystem::rename(partial, file, error);
    if (!stream || error) {
        const std::string why = error ? error.message() : std::strerror(errno);
        std::filesystem::remove(partial, error);
        throw std::runtime_error(fmt::format("--json {}: cannot be written: {}", file.string(), why));
    }
}

}  // namespace judge
