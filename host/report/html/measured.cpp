#include "report/html/measured.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/table.h"
#include "report/measured_columns.h"

namespace judge::html {

namespace {

// The name and the shape of a row, then the cells of these columns.
void add_row(Table& table, const View& view, const Row& row, const std::vector<Column>& columns,
             const std::vector<Cell>& more) {
    std::vector<Cell> cells = {{text(label_of(view, row))}, {text(row.shape)}};
    for (const Column& column : columns) cells.push_back({text(column.cell(row))});
    cells.insert(cells.end(), more.begin(), more.end());
    table.add(cells);
}

Table table_with(const std::string& caption, const std::vector<Column>& columns, const std::vector<Heading>& more) {
    std::vector<Heading> headings = {{"kernel", false}, {"shape", false}};
    for (const Column& column : columns) headings.push_back({text(column.heading)});
    headings.insert(headings.end(), more.begin(), more.end());
    return Table(caption, headings);
}

// What the columns mean, as a list of terms.
std::string legend_of(const std::vector<Column>& columns) {
    std::string items;
    for (const Column& column : columns) {
        items += fmt::format("{}<b>{}</b>: {}", items.empty() ? "" : "; ", text(column.heading), text(column.legend));
    }
    return "<p class=\"note\">" + items + ".</p>\n";
}

// 2MNK over the bytes that were moved; empty where that was not counted.
std::string flop_per_byte(const Row& row, const std::optional<double>& bytes) {
    const auto shape = parsed_shape(row.shape);
    return shape && bytes && *bytes > 0 ? three_digits(shape->flops() / *bytes) : "";
}

std::string title_of_copies(const View& view) {
    const Row* most = nullptr;
    double part = -1;  // of the time from host to host that is not the kernels'
    for (const Row& row : view.rows()) {
        const auto& [total, kernel] = std::pair(row.pageable.total_ms, row.pageable.kernel_ms);
        if (row.device == Target::emulator || !total || !kernel || !(*total > 0)) continue;
        if (1 - *kernel / *total > part) most = &row, part = 1 - *kernel / *total;
    }
    if (most == nullptr) return "The times are the CPU's, which emulates a GPU: they say nothing of one.";
    return fmt::format("From pageable memory and back, up to {} of the time is not the kernels': {} at {}.",
                       percent(std::max(part, 0.0)), name(label_of(view, *most)), text(most->shape));
}

std::string title_of_counters(const View& view) {
    const Row* most = nullptr;
    for (const Row& row : view.rows()) {
        const auto& percent = row.counters.memory_percent;
        if (percent && (most == nullptr || *percent > *most->counters.memory_percent)) most = &row;
    }
    if (most == nullptr) return "What the hardware counted in one call.";
    return fmt::format("The memory system is busiest under {} at {}: {} of its peak.", name(label_of(view, *most)),
                       text(most->shape), percent(*most->counters.memory_percent / 100));
}

}  // namespace

Section host_to_host(const View& view) {
    Section section{"host-to-host", "From host to host", {}, {}};
    const std::vector<Column> columns = host_to_host_columns();
    Table table = table_with("times with copies from and to the host's memory", columns, {{"hot"}});
    for (const Row& row : view.rows()) {
        if (has_copies(row)) add_row(table, view, row, columns, {{row.median_ms ? duration(*row.median_ms) : ""}});
    }
    if (table.empty()) {
        section.left_out = "it was not measured; --host-to-host does so";
        return section;
    }
    section.body = fmt::format("<h3>{}</h3>\n{}{}", title_of_copies(view), legend_of(columns), table.html());
    return section;
}

Section counters(const View& view) {
    Section section{"counters", "Counters", {}, {}};
    const std::vector<Column> columns = counter_columns();
    Table table = table_with("hardware counters of one call", columns, {{"FLOP / byte of DRAM"}, {"of L2"}});
    for (const Row& row : view.rows()) {
        if (!has_counters(row)) continue;
        const Counters& of = row.counters;
        add_row(table, view, row, columns, {{flop_per_byte(row, of.dram_bytes)}, {flop_per_byte(row, of.l2_bytes)}});
    }
    if (table.empty()) {
        section.left_out = "no hardware counters were read; --counters does so on a GPU";
        return section;
    }
    section.body = fmt::format("<h3>{}</h3>\n{}{}", title_of_counters(view), legend_of(columns), table.html());
    return section;
}

}  // namespace judge::html
