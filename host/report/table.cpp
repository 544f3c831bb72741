#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "values/environment.h"
#include "values/precision_class.h"

namespace judge {

namespace {

struct Paint {
    bool colour;
    std::string operator()(const char* code, const std::string& text) const {
        return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
    }
    std::string good(const std::string& text) const { return (*this)("32", text); }
    std::string bad(const std::string& text) const { return (*this)("31", text); }
    std::string faint(const std::string& text) const { return (*this)("2", text); }
    std::string bold(const std::string& text) const { return (*this)("1", text); }
};

std::string mark(const Row& row, const Paint& paint) {
    if (row.status == Status::ok) return paint.good("✓");
    if (row.status == Status::limited) return paint("33", "!");
    if (row.status == Status::unsupported) return paint.faint("-");
    return paint.bad("✗");
}

// Three significant digits, and whole numbers from 100 on.
std::string three_digits(double value) {
    return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:#.3g}", value);
}

// In the unit that keeps it readable.
std::string duration(double ms) {
    if (ms < 1) return three_digits(ms * 1e3) + " us";
    if (ms < 1e3) return three_digits(ms) + " ms";
    return three_digits(ms / 1e3) + " s";
}

std::string deviation_percent(const Row& row) {
    return fmt::format("± {:.1f}%", 100 * *row.deviation_ms / std::max(*row.mean_ms, 1e-12));
}

// The interval does not tell faster from slower.
bool is_about_equal(const Row& row) {
    return row.ratio_interval && row.ratio_interval->contains(1);
}

std::string ratio_text(const Row& row) {
    std::string text = fmt::format("{:>6.3f}", *row.ratio);
    if (!row.ratio_interval) return text;
    text += fmt::format(" [{:.3f}, {:.3f}]", row.ratio_interval->low, row.ratio_interval->high);
    return is_about_equal(row) ? text + " ≈" : text;
}

bool any(const std::vector<Row>& rows, bool (*is_so)(const Row&)) {
    return std::any_of(rows.begin(), rows.end(), is_so);
}

bool is_claim(const Row& row) {
    return class_of(row) != row.precision;
}

bool is_not_close(const Row& row) {
    return row.allclose == false;
}

bool is_raced(const Row& row) {
    return row.ratio.has_value();
}

bool has_error_ratio(const Row& row) {
    return row.error_ratio.has_value();
}

// The place of a row among those of its shape: by what was measured, from the best class to the worst, then the rest.
int rank(const Row& row) {
    int place = 0;
    while (place <= int(PrecisionClass::wrong) && to_string(static_cast<PrecisionClass>(place)) != row.precision)
        ++place;
    return place;
}

struct Column {
    std::string heading;
    bool to_the_right;
    std::string (*cell)(const Row&);  // empty for none
    size_t gap = 2;                   // spaces before it
};

// What fits into 160 characters when all rows are ok; --json has the rest. The error against the baseline's says more
// than the error, which stands in for it where there is none; torch.allclose's verdict is worth a column where it
// refuses something.
std::vector<Column> columns_for(const std::vector<Row>& rows) {
    std::vector<Column> columns = {
        {"device", false, [](const Row& row) { return to_string(row.device); }},
        {"class", false, class_of},
        {"status", false,
         [](const Row& row) { return to_string(row.status) + (row.deterministic == false ? " ~" : ""); }},
        {"max error", true, [](const Row& row) { return row.max_error ? fmt::format("{:.2e}", *row.max_error) : ""; }},
        {"rho / bound", true, [](const Row& row) {
             if (!row.rho || !row.bound) return std::string();
             return fmt::format("{:.3g} /{:>5.0f}{}", *row.rho, *row.bound, row.sampled ? '*' : ' ');
         }}};
    if (any(rows, has_error_ratio)) {
        columns.push_back({"x base", true, [](const Row& row) {
                               return row.error_ratio ? fmt::format("{:.3g}", *row.error_ratio) : "";
                           }});
    } else {
        columns.push_back({"normwise", true,
                           [](const Row& row) { return row.normwise ? fmt::format("{:.1e}", *row.normwise) : ""; }});
    }
    if (any(rows, is_not_close)) {
        columns.push_back({"1e-3", true, [](const Row& row) -> std::string {
                               return row.allclose ? (*row.allclose ? "yes" : "no") : "";
                           }});
    }
    columns.push_back(
        {"cold", true, [](const Row& row) { return row.cold_median_ms ? duration(*row.cold_median_ms) : ""; }});
    columns.push_back({"hot mean", true, [](const Row& row) { return row.mean_ms ? duration(*row.mean_ms) : ""; }});
    columns.push_back(
        {"± sd", false, [](const Row& row) { return row.deviation_ms ? deviation_percent(row) : ""; }, 1});
    columns.push_back({"TFLOP/s", true, [](const Row& row) { return row.tflops ? three_digits(*row.tflops) : ""; }});
    return columns;
}

// Characters, not bytes: each that is printed here takes one column.
size_t width(const std::string& text) {
    return std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; });
}

// The rows of a shape below a heading, each cell below the one above it.
class Blocks {
  public:
    Blocks(const std::vector<Row>& rows, const Paint& paint) : paint_(paint), columns_(columns_for(rows)) {
        for (const Row& row : rows) name_width_ = std::max(name_width_, width(row.plugin));
        for (const Column& column : columns_) {
            size_t widest = 0;
            for (const Row& row : rows) widest = std::max(widest, width(column.cell(row)));
            widths_.push_back(widest == 0 ? 0 : std::max(widest, width(column.heading)));
        }
    }

    std::string format(const std::string& shape, const std::vector<Row>& rows) const {
        const auto has = [&](const Column& column) {
            return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return !column.cell(row).empty(); });
        };
        const auto raced = std::find_if(rows.begin(), rows.end(), is_raced);
        std::string text = paint_.bold(line(
                               fmt::format("{:<{}}", shape, name_width_ + 4),
                               [&](const Column& column) { return has(column) ? column.heading : ""; },
                               raced == rows.end() ? "" : fmt::format("x {} [95 %]", raced->baseline))) +
                           "\n";
        for (const Row& row : rows) {
            text += line(
                        fmt::format("  {} {:<{}}", mark(row, paint_), row.plugin, name_width_),
                        [&](const Column& column) { return column.cell(row); }, row.ratio ? ratio_text(row) : "") +
                    "\n";
        }
        return text;
    }

  private:
    template <class TextOf>
    std::string line(std::string text, TextOf text_of, const std::string& last) const {
        for (size_t i = 0; i < columns_.size(); ++i) {
            if (widths_[i] == 0) continue;
            const std::string cell = text_of(columns_[i]);
            const std::string padding(widths_[i] - width(cell), ' ');
            text += std::string(columns_[i].gap, ' ') + (columns_[i].to_the_right ? padding + cell : cell + padding);
        }
        if (!last.empty()) text += "  " + last;
        return text.substr(0, text.find_last_not_of(' ') + 1);
    }

    const Paint& paint_;
    std::vector<Column> columns_;
    std::vector<size_t> widths_;  // 0 for a column that is empty
    size_t name_width_ = 12;
};

// What to do about it, where the row's own message does not say.
const char* next_step(Status status) {
    switch (status) {
        case Status::limited:
            return "right at the shapes asked for, not in general; --allow-limited makes that exit status 0, --require "
                   "any-shape makes it wrong";
        case Status::wrong:
            return "repeat it with this seed: build/compare PATH --shape MxNxK --seed N --check-only";
        case Status::not_written:
            return "a launch that failed writes nothing: check cudaGetLastError() after it, or export solve_last_error";
        case Status::out_of_bounds:
        case Status::crashed:
            return "find the access: compute-sanitizer build/compare PATH --shape MxNxK --check-only --timeout 600 on "
                   "a GPU, -fsanitize=address in the emulator; A is M x N, B is N x K: N is the contraction "
                   "(abi/solve.h)";
        case Status::input_modified:
            return "A and B are const: write to C only";
        case Status::timed_out:
            return "--timeout S allows more; --shape takes a smaller product";
        case Status::suspicious:
            return "its time is not counted until this is explained; --thorough measures longer";
        case Status::ok:
        case Status::load_error:
        case Status::unsupported:
        case Status::judge_failed:
            break;
    }
    return nullptr;
}

std::string summary(const std::vector<Row>& rows) {
    std::map<Status, int> counts;
    for (const Row& row : rows) ++counts[row.status];
    std::string text;
    for (const auto& [status, count] : counts) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(status));
    }
    return text + "\n";
}

}  // namespace

std::string format_table(const Json& environment, const std::vector<Row>& rows, bool colour) {
    const Paint paint{colour};
    std::string text =
        fmt::format("{}, {}, {} data, seed {}\n{}\n", machine(environment), text_of(environment, "date"),
                    text_of(environment, "data"), environment.at("seed").dump(), text_of(environment, "operation"));

    const Blocks blocks(rows, paint);
    std::vector<std::string> shapes;  // in the order in which they first came
    for (const Row& row : rows) {
        if (std::find(shapes.begin(), shapes.end(), row.shape) == shapes.end()) shapes.push_back(row.shape);
    }
    for (const std::string& shape : shapes) {
        std::vector<Row> block;
        std::copy_if(rows.begin(), rows.end(), std::back_inserter(block),
                     [&](const Row& row) { return row.shape == shape; });
        std::stable_sort(block.begin(), block.end(), [](const Row& a, const Row& b) { return rank(a) < rank(b); });
        text += "\n" + blocks.format(shape.empty() ? "(not run)" : shape, block);
    }

    text += "\n";
    for (const Row& row : rows) {
        if (row.message.empty()) continue;
        const std::string where = row.shape.empty() ? "" : " at " + row.shape;
        text += fmt::format("{} {} ({}){}: {}: {}\n", mark(row, paint), row.plugin, to_string(row.device), where,
                            to_string(row.status), row.message);
    }
    for (const Row& row : rows) {
        if (row.regression.empty()) continue;
        text += fmt::format("{} {} ({}) at {}: {}\n", paint.bad("slower"), row.plugin, to_string(row.device), row.shape,
                            row.regression);
    }
    std::set<Status> statuses;
    for (const Row& row : rows) statuses.insert(row.status);
    for (const Status status : statuses) {
        if (const char* step = next_step(status)) text += fmt::format("{}: {}\n", to_string(status), step);
    }
    std::set<std::string> slowed_by;
    for (const Row& row : rows) slowed_by.insert(row.slowed_by.begin(), row.slowed_by.end());
    for (const std::string& reason : slowed_by)
        text += fmt::format("the GPU's clock was held down at times: {}\n", reason);
    const auto explain_if = [&](bool (*is_so)(const Row&), const char* meaning) {
        if (any(rows, is_so)) text += meaning;
    };
    explain_if([](const Row& row) { return row.sampled; },
               "* 128 rows compared element by element, the others by a checksum of each row (Freivalds)\n");
    explain_if([](const Row& row) { return row.deterministic == false; }, "~ equal calls gave different bits\n");
    explain_if(is_claim, "? what the plugin claims; its precision was not measured\n");
    explain_if(is_about_equal, "≈ about equal: the 95 % interval holds 1\n");
    explain_if(has_error_ratio, "x base: the normwise error over that of the baseline on the same matrices\n");
    explain_if(is_not_close,
               "1e-3: the criterion of torch.allclose(atol=1e-3), for comparison; the verdict does not depend on it\n");
    return text + summary(rows);
}

}  // namespace judge
