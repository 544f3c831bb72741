#include "report/html/ratios.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clean_text.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/table.h"

namespace judge::html {

namespace {

std::vector<const Row*> raced(const View& view, const std::string& shape) {
    auto rows = view.timed(shape);
    std::erase_if(rows, [](const Row* row) { return !row->ratio || !(*row->ratio > 0); });
    return rows;
}

std::string title_of(const View& view, const std::string& shape, const std::vector<const Row*>& rows) {
    size_t faster = 0, slower = 0, equal = 0, unsure = 0;
    for (const Row* row : rows) {
        if (row->plugin == row->baseline) continue;
        const auto& interval = row->ratio_interval;
        ++(!interval ? unsure : interval->low > 1 ? faster : interval->high < 1 ? slower : equal);
    }
    const size_t all = faster + slower + equal + unsure;
    if (all == 0) return fmt::format("Nothing but {} itself was raced at {}.", name(view.baseline()), text(shape));
    if (unsure == all) return fmt::format("Too few blocks at {} to tell faster from slower.", text(shape));
    std::string title = fmt::format("At {}, {} faster than {}, {} slower", text(shape),
                                    count_of(faster, "kernel", "is", "are"), name(view.baseline()), slower);
    if (equal > 0) title += fmt::format(", {} about equal", equal);
    if (unsure > 0) title += fmt::format(", {} with too few blocks to tell", unsure);
    return title + " (by intervals of 95 %).";
}

std::string draw(const View& view, const std::vector<const Row*>& rows) {
    constexpr double kLeft = 210, kRight = 850, kTop = 34, kStep = 25;
    std::vector<double> values = {1};
    for (const Row* row : rows) {
        values.push_back(*row->ratio);
        if (row->cold_ratio) values.push_back(*row->cold_ratio);
        if (row->ratio_interval) values.insert(values.end(), {row->ratio_interval->low, row->ratio_interval->high});
    }
    const Scale x = log_scale(values, kLeft, kRight);
    const double bottom = kTop + kStep * double(rows.size()) + 6;
    Chart chart(960, int(bottom) + 46);
    chart.x_axis(x, kTop, bottom, fmt::format("times as fast as {} (right of 1 is faster)", view.baseline()));
    chart.line(x(1), kTop - 6, x(1), bottom, "baseline");
    for (size_t i = 0; i < rows.size(); ++i) {
        const Row& row = *rows[i];
        const double y = kTop + kStep * (double(i) + 0.5) + 3;
        chart.begin(fmt::format("{}: {:.3f}{}{}", row.plugin, *row.ratio,
                                row.ratio_interval ? " " + interval(*row.ratio_interval) : "",
                                row.cold_ratio ? fmt::format(", cold {:.3f}", *row.cold_ratio) : ""));
        chart.label(kLeft - 10, y + 4, cleaned(row.plugin, 26), "row", "end");
        if (const auto& range = row.ratio_interval) {
            chart.line(x(range->low), y, x(range->high), y, "range " + style_of_class(row));
        }
        if (row.cold_ratio && *row.cold_ratio > 0) chart.mark(x(*row.cold_ratio), y, 4, "hollow", {});
        chart.mark(x(*row.ratio), y, place_of_class(row), style_of_class(row), {});
        chart.label(952, y + 4, fmt::format("{:.3f}", *row.ratio), "value", "end");
        chart.end();
    }
    return chart.svg("a mark for each kernel, at its ratio to the baseline, with a line for the interval");
}

std::string table(const View& view, const std::string& shape) {
    Table table("times and ratios at " + shape, {{"kernel", false},
                                                 {"class", false},
                                                 {"hot"},
                                                 {"cold"},
                                                 {"first call"},
                                                 {"host"},
                                                 {"ratio, hot"},
                                                 {"95 %"},
                                                 {"ratio, cold"},
                                                 {"waits", false}});
    for (const Row* row : view.timed(shape)) {
        table.add({{text(row->plugin)},
                   {text(class_of(*row))},
                   {duration(*row->median_ms)},
                   {row->cold_median_ms ? duration(*row->cold_median_ms) : ""},
                   {row->first_ms ? duration(*row->first_ms) : ""},
                   {row->host_us ? duration(*row->host_us * 1e-3) : ""},
                   {row->ratio ? fmt::format("{:.3f}", *row->ratio) : ""},
                   {row->ratio_interval ? interval(*row->ratio_interval) : ""},
                   {row->cold_ratio ? fmt::format("{:.3f}", *row->cold_ratio) : ""},
                   {row->waits ? "yes" : ""}});
    }
    return table.folded("The figures: hot, cold, the first call, and what the host spends");
}

}  // namespace

Section ratios(const View& view) {
    Section section{"ratios", "Against the baseline", {}, view.no_speed()};
    if (!section.left_out.empty()) return section;
    section.body = view.for_each_shape([&](const std::string& shape) {
        const auto rows = raced(view, shape);
        const std::string chart =
            rows.empty()
                ? fmt::format("<h3>Times at {}; nothing was raced against a baseline.</h3>\n", text(shape))
                : fmt::format(
                      "<h3>{}</h3>\n<p class=\"note\">Filled: calls back to back (hot), with the interval that "
                      "holds the ratio with 95 %. Hollow: single calls that find nothing in the caches "
                      "(cold).</p>\n{}{}",
                      title_of(view, shape, rows), legend(rows), draw(view, rows));
        return chart + table(view, shape) +
               "<p class=\"note\">First call: until its work is done, with what it loads. Host: from a call to its "
               "return. Waits: it returns only when its work is done, and the baseline was made to do the same.</p>\n";
    });
    return section;
}

}  // namespace judge::html
