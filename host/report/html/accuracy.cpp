#include "report/html/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/clean_text.h"
#include "base/counted.h"
#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/table.h"

namespace judge::html {

namespace {

bool has_error(const Row& row) {
    return row.normwise && std::isfinite(*row.normwise);
}

// An exact product has no place on a logarithmic axis; it is drawn here.
double drawn_error(const Row& row) {
    return std::max(*row.normwise, 1e-9);
}

std::string tip_of(const Row& row) {
    return fmt::format("{} at {}: {}, error {}{}", row.plugin, row.shape, class_of(row), scientific(*row.normwise),
                       row.tflops ? fmt::format(", {} TFLOP/s", three_digits(*row.tflops)) : "");
}

// Error over speed: down and to the right is better.
std::string over_speed(const std::vector<const Row*>& rows, const std::string& shape) {
    std::map<int, const Row*> fastest;  // of each class
    std::vector<double> speeds, errors;
    for (const Row* row : rows) {
        const Row*& best = fastest[place_of_class(*row)];
        if (!best || *row->tflops > *best->tflops) best = row;
        speeds.push_back(*row->tflops);
        errors.push_back(drawn_error(*row));
    }
    std::string title = fmt::format("At {}, ", text(shape));
    const char* separator = "";
    for (const auto& [place, row] : fastest) {
        title += fmt::format("{}{} is reached with an error of {} ({}, {})", separator,
                             three_digits(*row->tflops) + " TFLOP/s", scientific(*row->normwise), text(class_of(*row)),
                             name(row->plugin));
        separator = "; ";
    }
    const Scale x = log_scale(speeds, 64, 930), y = log_scale(errors, 330, 36);
    Chart chart(960, 380);
    chart.x_axis(x, 36, 330, "TFLOP/s");
    chart.y_axis(y, 64, 930, "error: ||C - C64|| / ||C64||");
    for (const Row* row : rows) {
        chart.mark(x(*row->tflops), y(drawn_error(*row)), place_of_class(*row), style_of_class(*row), tip_of(*row));
    }
    for (const auto& [place, row] : fastest) {
        chart.label(x(*row->tflops) - 9, y(drawn_error(*row)) - 9, row->plugin, "value", "end");
    }
    return fmt::format(
        "<h3>{}.</h3>\n<p class=\"note\">Right is faster, down is more accurate; the fastest of each class "
        "is named.</p>\n{}{}",
        title, legend(rows), chart.svg("error over speed: a mark for each kernel"));
}

struct Kernel {
    std::string label;
    std::vector<const Row*> rows;
};

std::vector<Kernel> by_kernel(const View& view) {
    std::vector<Kernel> kernels;
    for (const Row& row : view.rows()) {
        if (!has_error(row)) continue;
        const std::string label = label_of(view, row);
        auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.label == label; });
        if (found == kernels.end()) found = kernels.insert(kernels.end(), {label, {}});
        found->rows.push_back(&row);
    }
    return kernels;
}

std::string title_of(const std::vector<Kernel>& kernels) {
    std::map<int, std::pair<size_t, const Row*>> classes;  // how many kernels, and one of their rows
    for (const Kernel& kernel : kernels) {
        // A kernel is of the worst class that one of its rows has.
        const Row* worst = *std::max_element(kernel.rows.begin(), kernel.rows.end(), [](const Row* a, const Row* b) {
            return place_of_class(*a) < place_of_class(*b);
        });
        auto& [count, row] = classes[place_of_class(*worst)];
        ++count;
        row = worst;
    }
    std::string title = counted(int64_t(kernels.size()), "kernel") + ": ";
    const char* separator = "";
    for (const auto& [place, found] : classes) {
        const std::string of = class_of(*found.second);
        title += fmt::format("{}{} {}", separator, found.first, of.empty() ? "not measured" : text(of));
        separator = ", ";
    }
    return title + ".";
}

std::string of_kernels(const std::vector<Kernel>& kernels) {
    constexpr double kLeft = 210, kRight = 930, kTop = 20, kStep = 21;
    std::vector<double> errors;
    std::vector<const Row*> rows;
    for (const Kernel& kernel : kernels) {
        for (const Row* row : kernel.rows) {
            errors.push_back(drawn_error(*row));
            rows.push_back(row);
        }
    }
    const Scale x = log_scale(errors, kLeft, kRight);
    const double bottom = kTop + kStep * double(kernels.size()) + 4;
    Chart chart(960, int(bottom) + 46);
    chart.x_axis(x, kTop, bottom, "error: ||C - C64|| / ||C64||, C64 the product in FP64; a mark for each shape");
    for (size_t i = 0; i < kernels.size(); ++i) {
        const double y = kTop + kStep * (double(i) + 0.5) + 2;
        chart.label(kLeft - 10, y + 4, cleaned(kernels[i].label, 26), "row", "end");
        for (const Row* row : kernels[i].rows) {
            chart.mark(x(drawn_error(*row)), y, place_of_class(*row), style_of_class(*row), tip_of(*row));
        }
    }
    return legend(rows) + chart.svg("a line for each kernel, with a mark at its error at each shape");
}

// Of several values the least and the largest, or the only one.
std::string range_of(const std::vector<double>& values, std::string (*shown)(double)) {
    if (values.empty()) return "";
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const std::string low = shown(*least), high = shown(*most);
    return low == high ? low : low + " to " + high;
}

std::string table_of(const std::vector<Kernel>& kernels) {
    Table table("errors of every kernel, over its shapes", {{"kernel", false},
                                                            {"classes", false},
                                                            {"shapes"},
                                                            {"normwise"},
                                                            {"x the baseline's"},
                                                            {"largest |C - C64|"},
                                                            {"rho / bound, at most"},
                                                            {"same bits", false}});
    for (const Kernel& kernel : kernels) {
        std::vector<double> normwise, ratio, largest;
        double most = 0;
        bool same = true, asked = false;
        std::string classes;
        for (const Row* row : kernel.rows) {
            normwise.push_back(*row->normwise);
            if (row->error_ratio) ratio.push_back(*row->error_ratio);
            if (row->max_error) largest.push_back(*row->max_error);
            if (row->rho && row->bound && *row->bound > 0) most = std::max(most, *row->rho / *row->bound);
            asked = asked || row->deterministic.has_value();
            same = same && row->deterministic.value_or(true);
            const std::string here = class_of(*row);
            if (classes.find(here) == classes.npos) classes += (classes.empty() ? "" : ", ") + here;
        }
        table.add({{text(kernel.label)},
                   {text(classes)},
                   {fmt::format("{}", kernel.rows.size())},
                   {range_of(normwise, scientific)},
                   {range_of(ratio, three_digits)},
                   {range_of(largest, scientific)},
                   {most >= 100 ? fmt::format("{:.1e} x", most)
                    : most > 0  ? percent(most)
                                : ""},
                   {!asked ? ""
                    : same ? "yes"
                           : "no"}});
    }
    return table.folded("The figures");
}

}  // namespace

Section accuracy(const View& view) {
    Section section{"accuracy", "Accuracy", {}, {}};
    const auto kernels = by_kernel(view);
    if (kernels.empty()) {
        section.left_out = "no product could be compared with the reference";
        return section;
    }
    section.body = fmt::format(
        "<h3>{}</h3>\n{}{}<p class=\"note\">rho: the largest |C - C64| / (u |A||B|), u = 2^-24, which may "
        "reach the bound. Same bits: repeated calls gave the same.</p>\n",
        title_of(kernels), of_kernels(kernels), table_of(kernels));
    if (view.no_speed().empty()) {
        section.body += view.for_each_shape([&](const std::string& shape) {
            auto rows = view.timed(shape);
            std::erase_if(rows, [](const Row* row) { return !has_error(*row); });
            return rows.empty() ? "" : over_speed(rows, shape);
        });
    }
    return section;
}

}  // namespace judge::html
