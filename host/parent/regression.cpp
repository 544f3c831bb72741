#include "parent/regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "base/counted.h"
#include "base/usage_error.h"
#include "values/environment.h"
#include "values/json.h"

namespace judge {

namespace {

std::string difference(const SavedRun& saved, const Json& environment, const char* key, const char* what) {
    const std::string then = text_of(saved.environment, key), now = text_of(environment, key);
    const auto named = [](const std::string& value) { return value.empty() ? "none" : value; };
    return then == now ? ""
                       : fmt::format("{} is {}, in {} it was {}", what, named(now), saved.file.string(), named(then));
}

std::string other_device(const SavedRun& saved, const Json& environment) {
    const std::string gpu = difference(saved, environment, "device", "the GPU");
    if (!gpu.empty() || !text_of(environment, "device").empty()) return gpu;
    return difference(saved, environment, "processor", "the processor");
}

Interval quotient(const Interval& a, const Interval& b) {
    return {a.low / b.high, a.high / b.low};
}

// The interval of the ratio to the baseline or, where fewer than 6 blocks give none, the ratio by itself.
std::optional<Interval> ratio_of(const Row& row) {
    if (row.ratio_interval) return row.ratio_interval;
    return row.ratio ? std::optional(Interval{*row.ratio, *row.ratio}) : std::nullopt;
}

std::string percent(const Interval& slowdown) {
    return fmt::format("{:.1f} % to {:.1f} %", 100 * (slowdown.low - 1), 100 * (slowdown.high - 1));
}

}  // namespace

SavedRun load_run(const std::filesystem::path& file, const std::string& option) {
    std::ifstream stream(file);
    const Json document = Json::parse(stream, nullptr, false);
    const auto is = [&](const char* key, Json::value_t type) {
        return document.is_object() && document.contains(key) && document.at(key).type() == type;
    };
    if (!is("environment", Json::value_t::object) || !is("rows", Json::value_t::array)) {
        throw UsageError(fmt::format("{} {}: {}: give a file that --save wrote", option, file.string(),
                                     document.is_discarded() ? "no JSON" : "no results"));
    }
    try {
        return {file, document.at("environment"), document.at("rows").get<std::vector<Row>>()};
    } catch (const std::exception& error) {
        throw UsageError(
            fmt::format("{} {}: written by another version of this program; make it anew "
                        "with --save ({})",
                        option, file.string(), error.what()));
    }
}

std::string not_comparable(const SavedRun& saved, const Json& environment) {
    const std::string device = other_device(saved, environment);
    if (!device.empty()) return device + "; save a run on this one to compare with";
    const std::string operation = difference(saved, environment, "operation", "--op");
    if (!operation.empty()) return operation + "; repeat either run with the other's";
    const std::string data = difference(saved, environment, "data", "--data");
    return data.empty() ? data : data + "; repeat either run with the other's";
}

std::string other_software(const SavedRun& saved, const Json& environment) {
    for (const auto& [key, what] : {std::pair{"driver", "the driver"}, {"cuda", "CUDA"}}) {
        if (const std::string other = difference(saved, environment, key, what); !other.empty()) return other;
    }
    // Earlier files have neither.
    for (const auto& [key, what] : {std::pair{"processors", "the list of processors that may be used"},
                                    {"variables", "what is set of OMP_..., OPENBLAS_... and their like"}}) {
        const Json then = saved.environment.value(key, Json()), now = environment.value(key, Json());
        if (!then.is_null() && then != now) {
            return fmt::format("{} is {}, in {} it was {}", what, now.dump(), saved.file.string(), then.dump());
        }
    }
    return {};
}

void compare_with(const SavedRun& saved, double max_slowdown, Row& row) {
    const auto then = std::find_if(saved.rows.begin(), saved.rows.end(), [&](const Row& other) {
        return is_right(other.status) && other.plugin == row.plugin && other.device == row.device &&
               other.shape == row.shape;
    });
    if (then == saved.rows.end()) return;
    const auto before = median_interval(then->time_ms), now = median_interval(row.time_ms);
    if (!before || !now) return;
    row.slowdown = quotient(*now, *before);
    if (row.slowdown->low <= 1 + max_slowdown) return;

    std::string by_ratio;
    const auto ratio_before = ratio_of(*then), ratio_now = ratio_of(row);
    if (ratio_before && ratio_now && row.baseline == then->baseline) {
        const Interval slowdown = quotient(*ratio_before, *ratio_now);
        if (slowdown.low <= 1 + max_slowdown) return;
        by_ratio = fmt::format(", and {} against {}", percent(slowdown), row.baseline);
    }
    row.regression = fmt::format("{} slower than in {}{}; {:g} % is allowed", percent(*row.slowdown),
                                 saved.file.string(), by_ratio, 100 * max_slowdown);
}

std::string not_compared(const SavedRun& saved, const std::vector<Row>& rows) {
    const auto timed = [](const Row& row) { return !row.time_ms.empty(); };
    const auto missed = [&](const Row& row) { return timed(row) && !row.slowdown; };
    const auto count = std::count_if(rows.begin(), rows.end(), missed);
    if (count == 0) return {};
    return fmt::format(
        "{} of {} not compared: {} has no time of the same plugin, device and shape, or "
        "one of the two has too few samples (--thorough takes more)",
        count, counted(std::count_if(rows.begin(), rows.end(), timed), "timed row"), saved.file.string());
}

}  // namespace judge
