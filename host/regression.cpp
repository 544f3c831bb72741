#include "regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace judge {

namespace {

std::string text_of(const Json& environment, const char* key) {
    const auto found = environment.find(key);
    return found != environment.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string difference(const SavedRun& saved, const Json& environment, const char* key, const char* what) {
    const std::string then = text_of(saved.environment, key), now = text_of(environment, key);
    return then == now ? "" : fmt::format("{} is {}, in {} it was {}", what, now, saved.file.string(), then);
}

Interval quotient(const Interval& a, const Interval& b) {
    return {a.low / b.high, a.high / b.low};
}

std::string percent(const Interval& slowdown) {
    return fmt::format("{:.1f} % to {:.1f} %", 100 * (slowdown.low - 1), 100 * (slowdown.high - 1));
}

}  // namespace

SavedRun load_run(const std::filesystem::path& file) {
    try {
        std::ifstream stream(file);
        const Json document = Json::parse(stream);
        return {file, document.at("environment"), document.at("rows").get<std::vector<Row>>()};
    } catch (const Json::exception& error) {
        throw std::runtime_error(
            fmt::format("--against {}: not a file that --save wrote: {}", file.string(), error.what()));
    }
}

std::string other_device(const SavedRun& saved, const Json& environment) {
    const std::string gpu = difference(saved, environment, "device", "the GPU");
    if (!gpu.empty() || !text_of(environment, "device").empty()) return gpu;
    return difference(saved, environment, "processor", "the processor");
}

std::string other_software(const SavedRun& saved, const Json& environment) {
    const std::string driver = difference(saved, environment, "driver", "the driver");
    return !driver.empty() ? driver : difference(saved, environment, "cuda", "CUDA");
}

void compare_with(const SavedRun& saved, double max_slowdown, Row& row) {
    const auto then = std::find_if(saved.rows.begin(), saved.rows.end(), [&](const Row& other) {
        return other.plugin == row.plugin && other.device == row.device && other.shape == row.shape;
    });
    if (then == saved.rows.end()) return;
    const auto before = median_interval(then->time_ms), now = median_interval(row.time_ms);
    if (!before || !now) return;
    row.slowdown = quotient(*now, *before);
    if (row.slowdown->low <= 1 + max_slowdown) return;

    std::string by_ratio;
    if (row.ratio_interval && then->ratio_interval && row.baseline == then->baseline) {
        const Interval slowdown = quotient(*then->ratio_interval, *row.ratio_interval);
        if (slowdown.low <= 1 + max_slowdown) return;
        by_ratio = fmt::format(", and {} against {}", percent(slowdown), row.baseline);
    }
    row.regression = fmt::format("{} slower than in {}{}; {:g} % is allowed", percent(*row.slowdown),
                                 saved.file.string(), by_ratio, 100 * max_slowdown);
}

}  // namespace judge
