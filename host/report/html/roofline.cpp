#include "report/html/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/table.h"

namespace judge::html {

namespace {

constexpr double kLeft = 64, kRight = 930, kTop = 78, kBottom = 420;
constexpr size_t kNameLines = 4;

// Each matrix read or written once: what no kernel can do without.
double flop_per_byte(const Shape& shape) {
    const double elements = double(shape.a_elements()) + double(shape.b_elements()) +
                            (shape.is_chain() ? double(shape.c_elements()) : 0) + double(shape.output_elements());
    return elements > 0 ? shape.flops() / (4 * elements) : 0;
}

// Of what --counters has counted; nothing where it was not.
std::optional<double> measured_intensity(const Row& row, std::optional<double> Counters::*bytes) {
    const auto shape = parsed_shape(row.shape);
    const auto& moved = row.counters.*bytes;
    if (!shape || !moved || !(*moved > 0) || !(shape->flops() > 0)) return std::nullopt;
    return shape->flops() / *moved;
}

struct Traffic {
    const char* memory;
    const char* key;    // in the legend
    const char* style;  // of its mark
    std::optional<double> Counters::*bytes;
};

constexpr Traffic kMeasured[] = {{"DRAM", "○", "dram", &Counters::dram_bytes},
                                 {"L2 cache", "+", "l2", &Counters::l2_bytes}};

struct Column {
    std::string shape;
    double intensity;
    const Row* best;                // of the FP32 rows or, where there is none, of all
    std::optional<double> ceiling;  // TFLOP/s
    bool memory_bound = false;
};

std::optional<Column> column_at(const View& view, const std::string& shape) {
    const auto parsed = parsed_shape(shape);
    if (!parsed || !(flop_per_byte(*parsed) > 0)) return std::nullopt;
    auto rows = view.timed(shape);
    const auto others =
        std::stable_partition(rows.begin(), rows.end(), [](const Row* row) { return place_of_class(*row) == 0; });
    if (others != rows.begin()) rows.erase(others, rows.end());
    Column column{
        shape, flop_per_byte(*parsed),
        *std::max_element(rows.begin(), rows.end(), [](const Row* a, const Row* b) { return *a->tflops < *b->tflops; }),
        std::nullopt};
    const auto& [fp32, memory] = view.ceilings();
    if (fp32 && memory) {
        const double by_memory = column.intensity * *memory * 1e-3;
        column.memory_bound = by_memory < *fp32;
        column.ceiling = std::min(by_memory, *fp32);
    }
    return column;
}

bool is_measured(const std::vector<Column>& columns, const Traffic& traffic) {
    return std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
        return measured_intensity(*column.best, traffic.bytes).has_value();
    });
}

std::string title_of(const std::vector<Column>& columns) {
    if (!columns.front().ceiling) {
        const auto best = std::max_element(columns.begin(), columns.end(), [](const Column& a, const Column& b) {
            return *a.best->tflops < *b.best->tflops;
        });
        return fmt::format("The highest speed is that of {} at {}, {} TFLOP/s; what bounds it is not known here.",
                           name(best->best->plugin), text(best->shape), three_digits(*best->best->tflops));
    }
    const auto memory =
        size_t(std::count_if(columns.begin(), columns.end(), [](const Column& c) { return c.memory_bound; }));
    std::string title = memory == 0 ? "At every shape it is arithmetic that bounds the speed, not memory"
                        : memory == columns.size()
                            ? "At every shape it is memory that bounds the speed, not arithmetic"
                            : fmt::format("Memory bounds the speed at {} of {} shapes, arithmetic at the others",
                                          memory, columns.size());
    double low = INFINITY, high = 0;
    for (const Column& column : columns) {
        const double part = *column.best->tflops / *column.ceiling;
        low = std::min(low, part);
        high = std::max(high, part);
    }
    return title + (columns.size() == 1
                        ? fmt::format("; the fastest kernel reaches {} of what is possible.", percent(low))
                        : fmt::format("; the fastest kernel of each reaches {} to {} of what is possible.",
                                      percent(low), percent(high)));
}

void draw_ceilings(Chart& chart, const Scale& x, const Scale& y, double from, double to, const Ceilings& ceilings) {
    const double ridge = *ceilings.fp32_tflops / (*ceilings.memory_gb_s * 1e-3);
    const auto point = [&](double at) {
        return fmt::format("{:.1f} {:.1f}", x(at),
                           y(std::min(at * *ceilings.memory_gb_s * 1e-3, *ceilings.fp32_tflops)));
    };
    std::string d = "M" + point(from);
    if (ridge > from && ridge < to) d += "L" + point(ridge);
    chart.path(d + "L" + point(to), "roof");
    // At the left end: most marks are far to the right of the ridge.
    chart.label(std::max(kLeft, x(ridge)) + 8, y(*ceilings.fp32_tflops) - 8,
                fmt::format("FFMA limit: {} TFLOP/s", three_digits(*ceilings.fp32_tflops)), "ceiling limit");
    if (ridge > from) {
        const double at = std::sqrt(from * std::min(ridge, to));
        chart.label(x(at) + 12, y(at * *ceilings.memory_gb_s * 1e-3) + 20,
                    fmt::format("memory: {} GB/s", three_digits(*ceilings.memory_gb_s)), "ceiling limit");
    }
}

// Where the fastest one's mark would lie if its bytes were those that the hardware has counted. Of the others the table
// of the counters has them: of all 33 kernels at 8 shapes the marks would hide each other.
void draw_measured(Chart& chart, const Scale& x, const Scale& y, const Column& column) {
    const Row& row = *column.best;
    for (const Traffic& traffic : kMeasured) {
        const auto intensity = measured_intensity(row, traffic.bytes);
        if (!intensity) continue;
        const double at = x(*intensity), speed = y(*row.tflops);
        chart.line(at, speed, x(column.intensity), speed, "to-measured");
        chart.begin(fmt::format("{} at {}: {} FLOP per byte of the {}, as measured", row.plugin, column.shape,
                                three_digits(*intensity), traffic.memory));
        const std::string cross =
            Chart::segment(at - 4, speed, at + 4, speed) + Chart::segment(at, speed - 4, at, speed + 4);
        const std::string ring = fmt::format("M{:.1f} {:.1f}a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", at - 4, speed);
        chart.path(traffic.bytes == &Counters::dram_bytes ? ring : cross, fmt::format("measured {}", traffic.style));
        chart.end();
    }
}

// Above the marks; a name that would cover the one before it goes a line higher.
void name_shapes(Chart& chart, const Scale& x, std::vector<Column> columns) {
    std::sort(columns.begin(), columns.end(),
              [](const Column& a, const Column& b) { return a.intensity < b.intensity; });
    std::array<double, kNameLines> free{};  // up to where each line is taken
    for (const Column& column : columns) {
        const std::string shape = short_shape(column.shape);
        const double at = x(column.intensity), half = 3.6 * double(shape.size());
        for (size_t line = 0; line < free.size(); ++line) {
            if (at - half < free[line]) continue;
            chart.label(at, kTop - 8 - 15 * double(line), shape, "tick", "middle");
            free[line] = at + half + 6;
            break;
        }
    }
}

std::string draw(const View& view, const std::vector<Column>& columns) {
    std::vector<double> intensities, speeds;
    for (const Column& column : columns) {
        intensities.push_back(column.intensity);
        for (const Row* row : view.timed(column.shape)) speeds.push_back(*row->tflops);
        for (const Traffic& traffic : kMeasured) {
            if (const auto measured = measured_intensity(*column.best, traffic.bytes)) intensities.push_back(*measured);
        }
    }
    const auto [fp32, memory] = view.ceilings();
    const bool bounded = fp32 && memory;
    if (bounded) {
        speeds.push_back(*fp32);
        intensities.push_back(*fp32 / (*memory * 1e-3));
    }
    const double from = *std::min_element(intensities.begin(), intensities.end()) / 1.5;
    const double to = *std::max_element(intensities.begin(), intensities.end()) * 1.5;
    const Scale x(from, to, kLeft, kRight, true);
    const Scale y = log_scale(speeds, kBottom, kTop);
    Chart chart(960, 466);
    chart.x_axis(x, kTop, kBottom, "FLOP per byte; filled marks: if A, B and C cross the memory bus once");
    chart.y_axis(y, kLeft, kRight, "TFLOP/s");
    if (bounded) draw_ceilings(chart, x, y, from, to, view.ceilings());
    for (const Column& column : columns) {
        auto rows = view.timed(column.shape);
        std::stable_partition(rows.begin(), rows.end(), [&](const Row* row) { return row != column.best; });
        draw_measured(chart, x, y, column);
        for (const Row* row : rows) {
            chart.mark(x(column.intensity), y(*row->tflops), place_of_class(*row),
                       style_of_class(*row) + (row == column.best ? " best" : ""),
                       fmt::format("{} at {}: {} TFLOP/s", row->plugin, column.shape, three_digits(*row->tflops)));
        }
    }
    name_shapes(chart, x, columns);
    return chart.svg("roofline: a mark for each kernel and shape, its speed over the FLOP per byte of the shape");
}

}  // namespace

Section roofline(const View& view) {
    Section section{"roofline", "Roofline", {}, view.no_speed()};
    if (!section.left_out.empty()) return section;
    std::vector<Column> columns;
    for (const std::string& shape : view.all_shapes()) {
        if (const auto column = column_at(view, shape)) columns.push_back(*column);
    }
    if (columns.empty()) {
        section.left_out = "no shape that was timed has any work";
        return section;
    }
    std::vector<const Row*> rows;
    for (const Column& column : columns) {
        const auto here = view.timed(column.shape);
        rows.insert(rows.end(), here.begin(), here.end());
    }
    std::vector<Heading> headings = {{"shape", false}, {"FLOP / byte"}};
    std::string keys;
    for (const Traffic& traffic : kMeasured) {
        if (!is_measured(columns, traffic)) continue;
        headings.push_back({fmt::format("measured, {}", traffic.memory)});
        keys += fmt::format("{}{} {}", keys.empty() ? " By the bytes that were measured: " : ", ", traffic.key,
                            traffic.memory);
    }
    for (const Heading& heading : std::vector<Heading>{
             {"bound by", false}, {"ceiling, TFLOP/s"}, {"fastest", false}, {"TFLOP/s"}, {"of the ceiling"}}) {
        headings.push_back(heading);
    }
    if (!keys.empty()) keys += ", of the fastest.";
    Table table("the ceiling of each shape", headings);
    for (const Column& column : columns) {
        const auto& ceiling = column.ceiling;
        std::vector<Cell> cells = {{text(column.shape)}, {three_digits(column.intensity)}};
        for (const Traffic& traffic : kMeasured) {
            if (!is_measured(columns, traffic)) continue;
            const auto measured = measured_intensity(*column.best, traffic.bytes);
            cells.push_back({measured ? three_digits(*measured) : ""});
        }
        const std::string bound = !ceiling ? "not known" : column.memory_bound ? "memory" : "arithmetic";
        for (const std::string& cell :
             {bound, ceiling ? three_digits(*ceiling) : "", text(column.best->plugin),
              three_digits(*column.best->tflops), ceiling ? percent(*column.best->tflops / *ceiling) : ""}) {
            cells.push_back({cell});
        }
        table.add(cells);
    }
    section.body = fmt::format(
        "<h3>{}</h3>\n<p class=\"note\">{} Ringed: the fastest of the class FP32, where there is one; tensor "
        "cores may pass the FFMA limit.{}</p>\n{}{}{}",
        title_of(columns),
        columns.front().ceiling ? "The lines are what this GPU can do by its clock, its lanes and its memory bus."
                                : "No line is drawn: this run's record holds no ceilings of its device.",
        keys, legend(rows), draw(view, columns), table.html());
    return section;
}

}  // namespace judge::html
