#include "report/html/staircase.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/clean_text.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/table.h"
#include "values/environment.h"

namespace judge::html {

namespace {

// Speeds are compared within a class: the one that most rows have, but for the baseline, which is no rung.
std::vector<const Row*> rungs_of(const std::vector<const Row*>& rows, const std::string& baseline) {
    std::map<std::string, size_t> count;
    for (const Row* row : rows) {
        if (row->plugin != baseline) ++count[row->precision];
    }
    std::string most;
    for (const auto& [precision, number] : count) {
        if (number > count[most] || most.empty()) most = precision;
    }
    std::vector<const Row*> rungs;
    for (const Row* row : rows) {
        if (row->plugin != baseline && row->precision == most) rungs.push_back(row);
    }
    // A run may be sorted by speed; a ladder is climbed by name.
    std::stable_sort(rungs.begin(), rungs.end(), [](const Row* a, const Row* b) { return a->plugin < b->plugin; });
    return rungs;
}

// How many times as fast as the one before; "about equal" where the intervals of their times do not tell them apart.
std::string gain_text(const Row& before, const Row& now) {
    const auto then = median_interval(before.time_ms), here = median_interval(now.time_ms);
    const bool equal = then && here && then->low <= here->high && here->low <= then->high;
    return (equal ? "≈ " : "") + change(*now.tflops / *before.tflops);
}

const Row* fastest(const std::vector<const Row*>& rows) {
    return *std::max_element(rows.begin(), rows.end(),
                             [](const Row* a, const Row* b) { return *a->tflops < *b->tflops; });
}

std::string against_baseline(const Row& row) {
    if (!row.ratio) return "";
    if (row.ratio_interval && row.ratio_interval->contains(1)) {
        return fmt::format(", about as fast as {} {}", name(row.baseline), interval(*row.ratio_interval));
    }
    return fmt::format(", {:.3f} times as fast as {}{}", *row.ratio, name(row.baseline),
                       row.ratio_interval ? " " + interval(*row.ratio_interval) : "");
}

std::string title_of_staircase(const View& view, const std::string& shape, const std::vector<const Row*>& rungs) {
    const Row& best = *fastest(rungs);
    std::string title =
        rungs.size() == 1
            ? fmt::format("{} does {} TFLOP/s at {}", name(best.plugin), three_digits(*best.tflops), text(shape))
            : fmt::format("{} is the fastest of {} {} kernels at {}: {} TFLOP/s", name(best.plugin), rungs.size(),
                          text(class_of(best)), text(shape), three_digits(*best.tflops));
    title += against_baseline(best);
    if (const auto limit = view.ceilings().fp32_tflops; limit && place_of_class(best) == 0) {
        title += fmt::format(", {} of what the FP32 units can do", percent(*best.tflops / *limit));
    }
    title += ".";
    double most = 1;
    size_t at = 0;
    for (size_t i = 1; i < rungs.size(); ++i) {
        if (const double gain = *rungs[i]->tflops / *rungs[i - 1]->tflops; gain > most) most = gain, at = i;
    }
    if (at > 0) {
        title += fmt::format(" The largest step is that from {} to {}: {}.", name(rungs[at - 1]->plugin),
                             name(rungs[at]->plugin), change(most));
    }
    return title;
}

void draw_ceiling(Chart& chart, double x, double bottom, double y, const std::string& what, const char* style) {
    chart.line(x, y + 6, x, bottom, style);
    chart.label(x, y, what, fmt::format("ceiling {}", style), x > 620 ? "end" : "start");
}

std::string draw(const View& view, const std::string& shape, const std::vector<const Row*>& rungs) {
    constexpr double kLeft = 210, kRight = 850, kTop = 52, kStep = 25, kBar = 17;
    const auto baseline = view.baseline_tflops(shape);
    const bool fp32 = place_of_class(*rungs.front()) == 0;
    const double limit = fp32 ? view.ceilings().fp32_tflops.value_or(0) : 0;
    double most = std::max(baseline.value_or(0), limit);
    for (const Row* row : rungs) most = std::max(most, *row->tflops);
    const Scale x(0, most * 1.04, kLeft, kRight);
    const double bottom = kTop + kStep * double(rungs.size()) + 6;
    Chart chart(960, int(bottom) + 46);
    chart.x_axis(x, kTop, bottom, "TFLOP/s (2MNK over the median of the hot batches)");
    chart.label(952, kTop - 10, "gain", "tick", "end");
    double before = 0;
    for (size_t i = 0; i < rungs.size(); ++i) {
        const Row& row = *rungs[i];
        const double y = kTop + kStep * double(i) + (kStep - kBar) / 2 + 2, now = *row.tflops;
        const std::string gain = i == 0 ? "" : gain_text(*rungs[i - 1], row);
        const std::string tip = fmt::format("{}: {} TFLOP/s, {}{}", row.plugin, three_digits(now),
                                            duration(*row.median_ms), i == 0 ? "" : ", " + gain);
        chart.begin(tip);
        chart.box(kLeft, y, x(std::min(now, before)) - kLeft, kBar, "kept");
        if (now > before) chart.box(x(before), y, x(now) - x(before), kBar, "gained");
        if (now < before) chart.box(x(now), y + 1, x(before) - x(now), kBar - 2, "lost");
        chart.label(kLeft - 10, y + 13, cleaned(row.plugin, 26), "row", "end");
        const bool gained = now > before && !gain.starts_with("≈");
        if (!gain.empty()) chart.label(952, y + 13, gain, gained ? "gain" : "tick", "end");
        chart.end();
        before = now;
    }
    if (baseline) {
        draw_ceiling(chart, x(*baseline), bottom, kTop - 10,
                     fmt::format("{}: {}", view.baseline(), three_digits(*baseline)), "baseline");
    }
    if (limit > 0) {
        draw_ceiling(chart, x(limit), bottom, kTop - 28, fmt::format("FFMA limit: {}", three_digits(limit)), "limit");
    }
    before = 0;
    for (size_t i = 0; i < rungs.size(); ++i) {  // in front of the lines
        const double now = *rungs[i]->tflops;
        chart.label(x(std::max(now, before)) + 6, kTop + kStep * double(i) + 19, three_digits(now), "value");
        before = now;
    }
    return chart.svg("staircase: a bar for each rung, as long as its TFLOP/s; the table below has the figures");
}

std::string table(const View& view, const std::string& shape, const std::vector<const Row*>& rungs) {
    const auto limit = view.ceilings().fp32_tflops;
    Table table("TFLOP/s at " + shape, {{"kernel", false},
                                        {"class", false},
                                        {"TFLOP/s"},
                                        {"gain"},
                                        {"ratio"},
                                        {limit ? "of the FFMA limit" : "time"}});
    auto rows = view.timed(shape);
    std::stable_sort(rows.begin(), rows.end(), [](const Row* a, const Row* b) { return a->plugin < b->plugin; });
    const Row* before = nullptr;
    for (const Row* row : rows) {
        const bool rung = std::find(rungs.begin(), rungs.end(), row) != rungs.end();
        const bool gained = rung && before;
        const bool bounded = limit && place_of_class(*row) == 0;
        table.add({{text(label_of(view, *row))},
                   {text(class_of(*row))},
                   {three_digits(*row->tflops)},
                   {gained ? gain_text(*before, *row) : ""},
                   {row->ratio ? fmt::format("{:.3f}", *row->ratio) : ""},
                   {!limit    ? duration(*row->median_ms)
                    : bounded ? percent(*row->tflops / *limit)
                              : ""}});
        if (rung) before = row;
    }
    return table.folded("The figures, with the rows of other classes");
}

}  // namespace

Section staircase(const View& view) {
    Section section{"staircase", "The staircase", {}, view.no_speed()};
    if (!section.left_out.empty()) return section;
    section.body = view.for_each_shape([&](const std::string& shape) -> std::string {
        const auto rungs = rungs_of(view.timed(shape), view.baseline());
        if (rungs.empty()) return {};
        return fmt::format(
            "<h3>{}</h3>\n<p class=\"note\">Light: what the rung before had; full: what this one gained; dashed: what "
            "it "
            "lost.{}</p>\n{}{}",
            title_of_staircase(view, shape, rungs),
            view.ceilings().fp32_tflops ? " FFMA limit: every FP32 lane in every cycle at the highest clock." : "",
            draw(view, shape, rungs), table(view, shape, rungs));
    });
    return section;
}

}  // namespace judge::html
