#include "report/html/samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/clean_text.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/table.h"

namespace judge::html {

namespace {

constexpr double kDrift = 0.01;     // what counts as drift
constexpr size_t kMostPoints = 32;  // of a line: more are drawn as medians of neighbours
constexpr int kAcross = 4, kWidth = 232, kHeight = 92;

// The samples of a row from its first to its last, over their median.
std::vector<double> over_median(const std::vector<double>& samples) {
    const double centre = median(samples);
    const size_t group = (samples.size() + kMostPoints - 1) / kMostPoints;
    std::vector<double> points;
    for (size_t i = 0; i < samples.size(); i += group) {
        const auto begin = samples.begin() + std::ptrdiff_t(i);
        points.push_back(median({begin, begin + std::ptrdiff_t(std::min(group, samples.size() - i))}) / centre);
    }
    return points;
}

bool is_drawable(const std::vector<double>& samples) {
    return samples.size() >= 2 && std::all_of(samples.begin(), samples.end(), [](double s) { return s > 0; });
}

// The median of the last third over that of the first; of fewer than 6 samples, none.
std::optional<double> drift(const std::vector<double>& samples) {
    if (samples.size() < 6 || !is_drawable(samples)) return std::nullopt;
    const auto third = std::ptrdiff_t(samples.size() / 3);
    return median({samples.end() - third, samples.end()}) / median({samples.begin(), samples.begin() + third});
}

bool drifted(const Row& row) {
    const auto found = drift(row.time_ms);
    return found && std::abs(*found - 1) > kDrift;
}

std::string path_of(const std::vector<double>& points, const Scale& y, double left, double right) {
    std::string d;
    int x_before = 0, y_before = 0;
    for (size_t i = 0; i < points.size(); ++i) {
        // Tenths of a pixel, and steps from point to point: most of the page's bytes would be here.
        const int at =
            int(std::lround(left + (right - left) * double(i) / double(std::max<size_t>(points.size() - 1, 1))));
        const int height = int(std::lround(y(points[i])));
        d += i == 0 ? fmt::format("M{} {}", at, height) : fmt::format("l{} {}", at - x_before, height - y_before);
        x_before = at, y_before = height;
    }
    return d;
}

std::string draw(const std::vector<const Row*>& rows, double range) {
    const int lines = (int(rows.size()) + kAcross - 1) / kAcross;
    Chart chart(960, lines * kHeight + 30);
    std::string grid;
    for (size_t i = 0; i < rows.size(); ++i) {
        const double left = 34 + double(i % kAcross) * kWidth, top = double(i / kAcross) * kHeight + 22;
        const double right = left + kWidth - 38, bottom = top + kHeight - 30;
        const Scale y(1 - range, 1 + range, bottom, top);
        for (const double at : {1 - range, 1.0, 1 + range}) {
            grid += Chart::segment(left, y(at), right, y(at));
            if (i % kAcross == 0)
                chart.label(left - 4, y(at) + 4, at == 1 ? "0" : fmt::format("{:+.0f}", 100 * (at - 1)), "tick", "end");
        }
        chart.label(left, top - 6, cleaned(rows[i]->plugin, 26), "row");
        if (is_drawable(rows[i]->baseline_ms))
            chart.path(path_of(over_median(rows[i]->baseline_ms), y, left, right), "trace other");
        chart.path(path_of(over_median(rows[i]->time_ms), y, left, right),
                   std::string("trace ") + (drifted(*rows[i]) ? "drifted" : "own"));
    }
    chart.path(grid, "grid");
    chart.label(34, lines * kHeight + 22,
                "block after block, in the order in which they were taken; % from the row's own median", "axis");
    return chart.svg("a small chart for each kernel: its hot samples in the order in which they were taken");
}

std::string title_of(const std::string& shape, const std::vector<const Row*>& rows) {
    const auto count = [&](auto is_so) { return size_t(std::count_if(rows.begin(), rows.end(), is_so)); };
    const size_t moved = count([](const Row* row) { return drifted(*row); });
    const size_t held = count([](const Row* row) { return !row->slowed_by.empty(); });
    std::string title =
        moved == 0 ? fmt::format("At {}, no kernel's time drifts by more than {}", text(shape), percent(kDrift))
                   : fmt::format("At {}, the times of {} of {} kernels drift by more than {}", text(shape), moved,
                                 rows.size(), percent(kDrift));
    if (held > 0) title += fmt::format("; the clock was held down in {} of {}", held, rows.size());
    return title + ".";
}

std::string number_or(const std::optional<double>& value, const char* unit) {
    return value ? fmt::format("{:.0f} {}", *value, unit) : "";
}

std::string table_of(const std::string& shape, const std::vector<const Row*>& rows) {
    Table table("samples at " + shape, {{"kernel", false},
                                        {"samples"},
                                        {"calls in one"},
                                        {"median"},
                                        {"least"},
                                        {"most"},
                                        {"drift"},
                                        {"clock"},
                                        {"power"},
                                        {"temperature"},
                                        {"slowed by", false}});
    for (const Row* row : rows) {
        const auto [least, most] = std::minmax_element(row->time_ms.begin(), row->time_ms.end());
        const auto moved = drift(row->time_ms);
        table.add({{text(row->plugin)},
                   {fmt::format("{}", row->time_ms.size())},
                   {fmt::format("{}", row->loops)},
                   {duration(*row->median_ms)},
                   {duration(*least)},
                   {duration(*most)},
                   {moved ? change(*moved) : "", drifted(*row) ? "warn" : ""},
                   {number_or(row->clock_mhz, "MHz")},
                   {number_or(row->power_w, "W")},
                   {number_or(row->temperature_c, "°C")},
                   {text(fmt::format("{}", fmt::join(row->slowed_by, ", ")))}});
    }
    return table.folded("The figures, with the state of the device");
}

}  // namespace

Section samples(const View& view) {
    Section section{"samples", "Samples, block by block", {}, view.no_speed()};
    if (!section.left_out.empty()) return section;
    bool any = false;
    const std::string body = view.for_each_shape([&](const std::string& shape) -> std::string {
        auto rows = view.timed(shape);
        std::erase_if(rows, [](const Row* row) { return !is_drawable(row->time_ms); });
        if (rows.empty()) return {};
        any = true;
        double range = 0.02;
        for (const Row* row : rows) {
            const auto spread = median_interval(over_median(row->time_ms));
            if (spread) range = std::max({range, 2 * (1 - spread->low), 2 * (spread->high - 1)});
        }
        range = std::min(std::ceil(100 * range) / 100, 0.5);
        return fmt::format(
            "<h3>{}</h3>\n<p class=\"note\">Line: the kernel, red where it drifts; grey: the baseline, in turns "
            "with it. Drift: the median of the last third of the samples over that of the first. What lies "
            "outside is drawn at the edge.</p>\n{}{}",
            title_of(shape, rows), draw(rows, range), table_of(shape, rows));
    });
    if (any) {
        section.body = body;
    } else {
        section.left_out = "the record holds no samples of the rows that were timed";
    }
    return section;
}

}  // namespace judge::html
