#include "report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/text_width.h"
#include "report/wrong_map.h"
#include "values/environment.h"
#include "values/json.h"

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
    if (row.status == Status::ok) return paint.good(mark_of(row));
    if (row.status == Status::limited) return paint("33", mark_of(row));
    if (row.status == Status::unsupported) return paint.faint(mark_of(row));
    return paint.bad(mark_of(row));
}

bool any(const std::vector<Row>& rows, bool (*is_so)(const Row&)) {
    return std::any_of(rows.begin(), rows.end(), is_so);
}

bool is_claim(const Row& row) {
    return class_of(row) != row.precision;
}

// The rows of a shape below a heading, each cell below the one above it.
class Blocks {
  public:
    Blocks(const std::vector<Row>& rows, const TableStyle& style, const Paint& paint)
        : paint_(paint), sort_(style.sort), columns_(columns_for(rows, style.columns)) {
        for (const Row& row : rows) name_width_ = std::max(name_width_, width(row.plugin));
        for (const Column& column : columns_) {
            size_t widest = 0;
            for (const Row& row : rows) widest = std::max(widest, width(column.cell(row)));
            widths_.push_back(widest == 0 ? 0 : std::max(widest, width(heading_of(column, rows))));
        }
        if (style.width > 0) fit(style.width);
    }

    std::string format(const std::string& shape, const std::vector<Row>& rows) const {
        const auto has = [&](const Column& column) {
            return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return !column.cell(row).empty(); });
        };
        const std::string title = shortened(shape, name_width_ + 4);
        std::string text =
            paint_.bold(line(title + std::string(name_width_ + 4 - width(title), ' '),
                             [&](const Column& column) { return has(column) ? heading_of(column, rows) : ""; })) +
            "\n";
        for (const Row& row : rows) text += format(row) + "\n";
        return text;
    }

    std::string format(const Row& row) const {
        const std::string name = shortened(row.plugin, name_width_);
        return line(fmt::format("  {} {}", mark(row, paint_), name + std::string(name_width_ - width(name), ' ')),
                    [&](const Column& column) { return column.cell(row); });
    }

    std::string format_all(const std::vector<Row>& rows) const {
        std::string text;
        for (const std::string& shape : shapes_of(rows)) {
            std::vector<Row> block;
            std::copy_if(rows.begin(), rows.end(), std::back_inserter(block),
                         [&](const Row& row) { return row.shape == shape; });
            if (sort_ == Sort::none) {
                std::stable_sort(block.begin(), block.end(),
                                 [](const Row& a, const Row& b) { return class_rank(a) < class_rank(b); });
            }
            text += "\n" + format(shape.empty() ? "(not run)" : shape, sorted(block, sort_));
        }
        return text;
    }

    // What the columns mean that are shown, and which there was no room for.
    std::string legend(const std::vector<Row>& rows) const {
        std::string text;
        for (size_t i = 0; i < columns_.size(); ++i) {
            if (widths_[i] == 0) continue;
            text +=
                paint_.faint(wrapped(fmt::format("{}: {}", heading_of(columns_[i], rows), columns_[i].legend), room_)) +
                "\n";
        }
        if (!left_out_.empty()) {
            const std::string said =
                fmt::format("not shown in {} columns of text: {}; --columns takes those that matter", room_,
                            fmt::join(left_out_, ", "));
            text += paint_.faint(wrapped(said, room_)) + "\n";
        }
        return text;
    }

  private:
    template <class TextOf>
    std::string line(std::string text, TextOf text_of) const {
        for (size_t i = 0; i < columns_.size(); ++i) {
            if (widths_[i] == 0) continue;
            const std::string cell = text_of(columns_[i]);
            const std::string padding(widths_[i] - std::min(widths_[i], width(cell)), ' ');
            text += std::string(columns_[i].gap, ' ') + (columns_[i].to_the_right ? padding + cell : cell + padding);
        }
        return text.substr(0, text.find_last_not_of(' ') + 1);
    }

    size_t total() const {
        size_t sum = 4 + name_width_;
        for (size_t i = 0; i < columns_.size(); ++i) sum += widths_[i] == 0 ? 0 : columns_[i].gap + widths_[i];
        return sum;
    }

    // Long names are shortened a little, then columns go, then names are shortened more. What was asked for by name
    // stays, and makes lines longer than the terminal where there is no other way.
    void fit(size_t room) {
        constexpr size_t kShort = 24, kShortest = 10;
        room_ = room;
        const auto shorten_names = [&](size_t least) {
            while (total() > room && name_width_ > least) --name_width_;
        };
        shorten_names(kShort);
        while (total() > room) {
            size_t first = columns_.size();
            for (size_t i = 0; i < columns_.size(); ++i) {
                const bool may_go = widths_[i] > 0 && columns_[i].room != kStays;
                if (may_go && (first == columns_.size() || columns_[i].room < columns_[first].room)) first = i;
            }
            if (first == columns_.size()) break;
            widths_[first] = 0;
            left_out_.emplace_back(columns_[first].name);
        }
        shorten_names(kShortest);
    }

    const Paint& paint_;
    Sort sort_;
    std::vector<Column> columns_;
    std::vector<size_t> widths_;  // 0 for a column that is empty
    size_t name_width_ = 12, room_ = 0;
    std::vector<std::string> left_out_;
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
            return "every element of C is to be stored, whatever was in it; a launch that failed stores nothing: check "
                   "cudaGetLastError() after it, or export solve_last_error";
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

// Which entries of which plugins another operation judges: a row that is ok says nothing of them.
std::string not_judged(const std::vector<Row>& rows) {
    constexpr size_t kMostNames = 3;
    std::string text;
    for (const auto& [entry, option] : {std::pair{"solve_gemm", "gemm:NN"}, {"solve_chain", "chain"}}) {
        std::set<std::string> plugins;
        for (const Row& row : rows) {
            const bool has = std::find(row.not_judged.begin(), row.not_judged.end(), entry) != row.not_judged.end();
            if (has) plugins.insert(row.plugin);
        }
        if (plugins.empty()) continue;
        const std::string whose = plugins.size() > kMostNames ? fmt::format("{} plugins", plugins.size())
                                                              : fmt::format("{}", fmt::join(plugins, ", "));
        text += fmt::format("not judged: {} of {}, which --op {} judges\n", entry, whose, option);
    }
    return text;
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

std::string mark_of(const Row& row) {
    if (row.status == Status::ok) return "✓";
    if (row.status == Status::limited) return "!";
    return row.status == Status::unsupported ? "-" : "✗";
}

std::string format_blocks(const std::vector<Row>& rows, const TableStyle& style) {
    const Paint paint{style.colour};
    return Blocks(rows, style, paint).format_all(rows);
}

std::string format_table(const Json& environment, const std::vector<Row>& rows, const TableStyle& style) {
    const Paint paint{style.colour};
    std::string text =
        fmt::format("{}, {}, {} data, seed {}\n{}\n", machine(environment), text_of(environment, "date"),
                    text_of(environment, "data"), environment.at("seed").dump(), text_of(environment, "operation"));

    const Blocks blocks(rows, style, paint);
    text += blocks.format_all(rows);

    text += "\n";
    for (const Row& row : rows) {
        if (row.message.empty()) continue;
        const std::string where = row.shape.empty() ? "" : " at " + row.shape;
        text += fmt::format("{} {} ({}){}: {}: {}\n", mark(row, paint), row.plugin, to_string(row.device), where,
                            to_string(row.status), row.message);
    }
    text += draw_wrong_places(rows);
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
    return text + not_judged(rows) + blocks.legend(rows) + summary(rows);
}

}  // namespace judge
