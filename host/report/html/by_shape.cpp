#include "report/html/by_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/table.h"

namespace judge::html {

namespace {

const Row* row_at(const View& view, const std::string& plugin, const std::string& shape) {
    for (const Row* row : view.timed(shape)) {
        if (row->plugin == plugin) return row;
    }
    return nullptr;
}

bool is_rival(const Row& row) {
    return row.ratio && *row.ratio > 0 && row.plugin != row.baseline && place_of_class(row) == 0;
}

std::string title_of(const View& view) {
    size_t beaten = 0;
    std::string losses;
    const Row* best = nullptr;
    for (const std::string& shape : view.all_shapes()) {
        bool here = false;
        for (const Row* row : view.timed(shape)) {
            if (!is_rival(*row)) continue;
            here = here || (row->ratio_interval && row->ratio_interval->low > 1);
            if (!best || *row->ratio > *best->ratio) best = row;
        }
        beaten += here;
        if (!here) losses += (losses.empty() ? "" : ", ") + text(shape);
    }
    if (!best) return "No kernel of the class FP32 was raced against a baseline.";
    const size_t all = view.all_shapes().size();
    std::string title =
        fmt::format("Some FP32 kernel is faster than {} at {} of {} shapes", name(view.baseline()), beaten, all);
    if (beaten > 0 && beaten < all) title += fmt::format(", none at {}", losses);
    return title + fmt::format("; the highest ratio is that of {} at {}: {:.2f}.", name(best->plugin),
                               text(best->shape), *best->ratio);
}

// From 1 (far slower) over 4 (about equal) to 7 (far faster), each a colour.
std::string heat(double ratio) {
    const double steps = std::log2(ratio) / 0.5;
    if (std::abs(ratio - 1) < 0.01) return "h4";
    return fmt::format("h{}", 4 + std::clamp(int(steps < 0 ? std::floor(steps) : std::ceil(steps)), -3, 3));
}

}  // namespace

Section by_shape(const View& view) {
    Section section{"shapes", "Shape by shape", {}, view.no_speed()};
    if (!section.left_out.empty()) return section;
    std::vector<Heading> headings = {{"kernel", false}, {"class", false}};
    std::vector<const Row*> kernels;  // the first row of each
    for (const std::string& shape : view.all_shapes()) {
        headings.push_back({text(short_shape(shape))});
        for (const Row* row : view.timed(shape)) {
            const auto same = [&](const Row* other) { return other->plugin == row->plugin; };
            if (std::none_of(kernels.begin(), kernels.end(), same)) kernels.push_back(row);
        }
    }
    // A kernel that only some shapes let run is found last, and has its place by its name all the same.
    std::stable_sort(kernels.begin(), kernels.end(), [](const Row* a, const Row* b) { return a < b; });
    const bool raced = !view.baseline().empty();
    Table table("speed and ratio of every kernel at every shape", headings);
    for (const Row* kernel : kernels) {
        std::vector<Cell> cells = {{text(kernel->plugin)}, {text(class_of(*kernel))}};
        for (const std::string& shape : view.all_shapes()) {
            const Row* row = row_at(view, kernel->plugin, shape);
            if (!row) {
                cells.push_back({""});
            } else if (!row->ratio || !(*row->ratio > 0)) {
                cells.push_back({three_digits(*row->tflops)});
            } else {
                cells.push_back({fmt::format("{:.2f}<small>{}</small>", *row->ratio, three_digits(*row->tflops)),
                                 heat(*row->ratio)});
            }
        }
        table.add(cells);
    }
    section.body =
        fmt::format("<h3>{}</h3>\n<p class=\"note\">{}</p>\n{}", title_of(view),
                    raced ? fmt::format("Times as fast as {}, hot; small: TFLOP/s. Green is faster, red slower.",
                                        name(view.baseline()))
                          : "TFLOP/s, hot.",
                    table.html());
    return section;
}

}  // namespace judge::html
