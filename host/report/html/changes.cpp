#include "report/html/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clean_text.h"
#include "base/counted.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/table.h"
#include "values/environment.h"
#include "values/json.h"

namespace judge::html {

namespace {

constexpr size_t kMostDrawn = 40;

struct Pair {
    const Row* then;
    const Row* now;
    Interval speedup;  // times as fast as then, 95 %
    double centre;

    bool faster() const { return speedup.low > 1; }
    bool slower() const { return speedup.high < 1; }
};

const Row* same_in(const std::vector<Row>& rows, const Row& row) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& other) {
        return other.plugin == row.plugin && other.device == row.device && other.shape == row.shape;
    });
    return found == rows.end() ? nullptr : &*found;
}

std::vector<Pair> pairs_of(const View& view, const SavedRun& earlier) {
    std::vector<Pair> pairs;
    for (const Row& row : view.rows()) {
        const Row* then = same_in(earlier.rows, row);
        const auto& slowdown = row.slowdown;
        if (!then || !slowdown || !(slowdown->low > 0) || !std::isfinite(slowdown->high)) continue;
        if (!then->median_ms || !row.median_ms || !(*row.median_ms > 0) || !(*then->median_ms > 0)) continue;
        pairs.push_back({then, &row, {1 / slowdown->high, 1 / slowdown->low}, *then->median_ms / *row.median_ms});
    }
    return pairs;
}

std::string title_of(const std::vector<Pair>& pairs) {
    if (pairs.empty()) return "No time can be compared: no row was timed in both runs with enough samples.";
    const auto faster = size_t(std::count_if(pairs.begin(), pairs.end(), [](const Pair& p) { return p.faster(); }));
    const auto slower = size_t(std::count_if(pairs.begin(), pairs.end(), [](const Pair& p) { return p.slower(); }));
    std::string title = fmt::format("{} faster than before, {} slower, {} not to be told from equal",
                                    count_of(faster, "row", "is", "are"), slower, pairs.size() - faster - slower);
    const auto by_centre = [](const Pair& a, const Pair& b) { return a.centre < b.centre; };
    if (faster > 0) {
        const Pair& most = *std::max_element(pairs.begin(), pairs.end(), by_centre);
        title += fmt::format("; most gained: {} at {}, {}", name(most.now->plugin), text(most.now->shape),
                             change(most.centre));
    }
    if (slower > 0) {
        const Pair& most = *std::min_element(pairs.begin(), pairs.end(), by_centre);
        title += fmt::format("; most lost: {} at {}, {}", name(most.now->plugin), text(most.now->shape),
                             change(most.centre));
    }
    return title + ".";
}

std::string draw(std::vector<Pair> pairs) {
    constexpr double kLeft = 330, kRight = 860, kTop = 30, kStep = 23;
    const auto effect = [](const Pair& pair) { return std::abs(std::log(pair.centre)); };
    std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) { return effect(a) > effect(b); });
    if (pairs.size() > kMostDrawn) pairs.resize(kMostDrawn);
    std::vector<double> values = {1};
    for (const Pair& pair : pairs) values.insert(values.end(), {pair.speedup.low, pair.speedup.high, pair.centre});
    const Scale x = log_scale(values, kLeft, kRight);
    const double bottom = kTop + kStep * double(pairs.size()) + 4;
    Chart chart(960, int(bottom) + 46);
    chart.x_axis(x, kTop, bottom, "times as fast as before (right of 1 is faster now)");
    chart.line(x(1), kTop - 6, x(1), bottom, "baseline");
    for (size_t i = 0; i < pairs.size(); ++i) {
        const Pair& pair = pairs[i];
        const double y = kTop + kStep * (double(i) + 0.5) + 2;
        const char* style = pair.faster() ? "better" : pair.slower() ? "worse" : "same";
        chart.label(kLeft - 10, y + 4, cleaned(pair.now->plugin, 26) + " " + pair.now->shape, "row", "end");
        chart.line(x(pair.speedup.low), y, x(pair.speedup.high), y, std::string("range ") + style);
        chart.mark(x(pair.centre), y, 0, style,
                   fmt::format("{} at {}: {} {}", pair.now->plugin, pair.now->shape, change(pair.centre),
                               interval(pair.speedup)));
        chart.label(952, y + 4, change(pair.centre), pair.faster() ? "gain" : "tick", "end");
    }
    return chart.svg("a mark for each row, at how many times as fast as before it is, with its interval");
}

std::string table_of(const std::vector<Pair>& pairs) {
    Table table("times then and now", {{"kernel", false},
                                       {"shape", false},
                                       {"then"},
                                       {"now"},
                                       {"times as fast"},
                                       {"95 %"},
                                       {"ratio then"},
                                       {"ratio now"}});
    for (const auto& [then, now, speedup, centre] : pairs) {
        table.add({{text(now->plugin)},
                   {text(now->shape)},
                   {duration(*then->median_ms)},
                   {duration(*now->median_ms)},
                   {fmt::format("{:.3f}", centre)},
                   {interval(speedup), speedup.low > 1    ? "good"
                                       : speedup.high < 1 ? "bad"
                                                          : ""},
                   {then->ratio ? fmt::format("{:.3f}", *then->ratio) : ""},
                   {now->ratio ? fmt::format("{:.3f}", *now->ratio) : ""}});
    }
    return table.folded("The figures of every row");
}

// What another time may come from, other than the kernel.
std::string conditions(const View& view, const SavedRun& earlier) {
    std::string items;
    for (const char* key : {"device", "driver", "cuda", "processor", "cores", "compiler", "operation", "data"}) {
        const Json then = earlier.environment.value(key, Json()), now = view.environment().value(key, Json());
        if (then == now) continue;
        const auto shown = [](const Json& value) {
            return value.is_string() ? value.get<std::string>() : value.dump();
        };
        items += fmt::format("<li>{}: {} then, {} now</li>\n", key, text(shown(then)), text(shown(now)));
    }
    return items.empty()
               ? ""
               : "<p class=\"note warn\">The two runs differ in more than the kernels:</p>\n<ul>\n" + items + "</ul>\n";
}

// Verdicts that have changed, and rows of one run only.
std::string verdicts(const View& view, const SavedRun& earlier) {
    std::string items;
    size_t fresh = 0, gone = 0;
    for (const Row& row : view.rows()) {
        const Row* then = same_in(earlier.rows, row);
        fresh += !then;
        if (!then || (then->status == row.status && then->precision == row.precision)) continue;
        items +=
            fmt::format("<li>{} at {}: {} {} then, <b>{} {}</b> now</li>\n", name(label_of(view, row)), text(row.shape),
                        to_string(then->status), text(class_of(*then)), to_string(row.status), text(class_of(row)));
    }
    for (const Row& row : earlier.rows) gone += !same_in(view.rows(), row);
    if (fresh > 0) items += fmt::format("<li>{} in this run only</li>\n", count_of(fresh, "row", "is", "are"));
    if (gone > 0) items += fmt::format("<li>{} in the earlier run only</li>\n", count_of(gone, "row", "is", "are"));
    return items.empty() ? "<p>No verdict and no class has changed.</p>\n" : "<ul>\n" + items + "</ul>\n";
}

std::string regressions(const View& view) {
    std::string items;
    size_t count = 0;
    for (const Row& row : view.rows()) {
        if (row.regression.empty()) continue;
        ++count;
        items +=
            fmt::format("<li>{} at {}: {}</li>\n", name(label_of(view, row)), text(row.shape), text(row.regression));
    }
    if (count == 0) return "<p>No row is a regression.</p>\n";
    return fmt::format("<details><summary class=\"bad\">{}</summary><ul>\n{}</ul></details>\n",
                       count_of(count, "row", "is a regression", "are regressions"), items);
}

}  // namespace

Section changes(const View& view, const SavedRun& earlier) {
    Section section{"changes", "What has changed", {}, {}};
    const auto pairs = pairs_of(view, earlier);
    section.body = fmt::format(
        "<h3>{}</h3>\n<p class=\"note\">Against {}, of {}. By the medians of the hot samples and "
        "intervals of 95 %{}.</p>\n{}",
        title_of(pairs), name(earlier.file.string()), text(text_of(earlier.environment, "date")),
        pairs.size() > kMostDrawn ? fmt::format("; drawn are the {} largest changes", kMostDrawn) : "",
        conditions(view, earlier));
    if (!pairs.empty()) section.body += draw(pairs) + table_of(pairs);
    section.body += regressions(view) + verdicts(view, earlier);
    return section;
}

}  // namespace judge::html
