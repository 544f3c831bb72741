#include "report/bencher.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "base/statistics.h"
#include "base/whole_file.h"
#include "values/json.h"

namespace judge {

namespace {

Json metric(double value, const std::optional<Interval>& interval) {
    Json json = {{"value", value}};
    if (interval && std::isfinite(interval->low) && std::isfinite(interval->high)) {
        json["lower_value"] = interval->low;
        json["upper_value"] = interval->high;
    }
    return json;
}

// Of the median of these times, in the unit that `convert` makes of milliseconds.
template <class Convert>
Json metric_of(const std::vector<double>& samples_ms, double median_ms, Convert convert) {
    std::optional<Interval> interval = median_interval(samples_ms);
    if (interval) interval = Interval{convert(interval->low), convert(interval->high)};
    if (interval && interval->low > interval->high) std::swap(interval->low, interval->high);
    return metric(convert(median_ms), interval);
}

}  // namespace

Json bencher_metrics(const std::vector<Row>& rows) {
    Json all = Json::object();
    const auto nanoseconds = [](double ms) { return 1e6 * ms; };
    for (const Row& row : rows) {
        if (!is_right(row.status) || !row.median_ms) continue;
        Json& measures = all[fmt::format("{} ({}) {}", row.plugin, to_string(row.device), row.shape)];
        measures["latency"] = metric_of(row.time_ms, *row.median_ms, nanoseconds);
        if (row.cold_median_ms) measures["cold-latency"] = metric_of(row.cold_ms, *row.cold_median_ms, nanoseconds);
        if (row.tflops) {
            const double operations = *row.tflops * 1e12 * *row.median_ms;  // times milliseconds
            measures["throughput"] = metric_of(row.time_ms, *row.median_ms, [&](double ms) { return operations / ms; });
        }
        if (row.ratio) measures["ratio"] = metric(*row.ratio, row.ratio_interval);
    }
    return all;
}

void write_bencher(const std::filesystem::path& file, const std::vector<Row>& rows) {
    replace_file(file, bencher_metrics(rows).dump(2, ' ', false, Json::error_handler_t::replace) + "\n", "--bencher");
}

}  // namespace judge
