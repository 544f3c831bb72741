#include "report/markdown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <type_traits>

#include "report/markdown_text.h"
#include "report/row_order.h"
#include "values/environment.h"
#include "values/json.h"

namespace judge {

namespace {

// The different values of a field, or of a function of a row, in the order in which they first come.
template <class Field>
auto distinct(const std::vector<Row>& rows, Field field) {
    std::vector<std::decay_t<std::invoke_result_t<Field, const Row&>>> values;
    for (const Row& row : rows) {
        const auto& value = std::invoke(field, row);
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    return values;
}

std::string cell(const Row& row) {
    if (!row.tflops || !is_right(row.status)) return to_string(row.status);
    std::string text = fmt::format("{:.{}f}", *row.tflops, *row.tflops < 10 ? 2 : 1);
    if (row.ratio) text += fmt::format(" ({:.2f}x)", *row.ratio);
    return row.status == Status::ok ? text : fmt::format("{}, {}", text, to_string(row.status));
}

// With the columns that were asked for.
std::string table_of_shape(const std::string& shape, const std::vector<Row>& rows, const ColumnChoice& choice) {
    std::vector<Row> block;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(block),
                 [&](const Row& row) { return row.shape == shape; });
    std::string text = fmt::format("| {} |", shape.empty() ? "(not run)" : shape), rule = "|---|";
    const std::vector<Column> columns = columns_for(rows, choice);
    for (const Column& column : columns) {
        text += fmt::format(" {} |", escaped(heading_of(column, block)));
        rule += column.to_the_right ? "--:|" : "---|";
    }
    text += "\n" + rule + "\n";
    for (const Row& row : block) {
        text += fmt::format("| {} |", escaped(row.plugin));
        for (const Column& column : columns) text += fmt::format(" {} |", escaped(column.cell(row)));
        text += "\n";
    }
    return text;
}

std::string table_of_all_shapes(const std::vector<Row>& rows) {
    const std::vector<std::string> shapes = shapes_of(rows), plugins = distinct(rows, &Row::plugin);
    std::string text = "| plugin | device | class |", rule = "|---|---|---|";
    for (const std::string& shape : shapes) {
        text += fmt::format(" {} |", shape.empty() ? "(not run)" : shape);
        rule += "--:|";
    }
    text += "\n" + rule + "\n";
    for (const std::string& plugin : plugins) {
        for (const Target device : distinct(rows, &Row::device)) {
            std::vector<Row> here;
            std::copy_if(rows.begin(), rows.end(), std::back_inserter(here),
                         [&](const Row& row) { return row.plugin == plugin && row.device == device; });
            if (here.empty()) continue;
            text += fmt::format("| {} | {} | {} |", escaped(plugin), to_string(device),
                                fmt::join(distinct(here, class_of), ", "));
            for (const std::string& shape : shapes) {
                const auto row =
                    std::find_if(here.begin(), here.end(), [&](const Row& row) { return row.shape == shape; });
                text += fmt::format(" {} |", row == here.end() ? "" : cell(*row));
            }
            text += "\n";
        }
    }
    return text;
}

}  // namespace

std::string format_markdown(const Json& environment, const std::vector<Row>& rows, const ColumnChoice& choice) {
    std::string text;
    if (choice.usual()) {
        text = table_of_all_shapes(rows);
    } else {
        for (const std::string& shape : shapes_of(rows)) {
            text += (text.empty() ? "" : "\n") + table_of_shape(shape, rows, choice);
        }
    }
    const auto raced = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.ratio; });
    text += "\n";
    if (choice.usual()) {
        text += fmt::format("TFLOP/s (2MNK over the median of the hot batches){}. ",
                            raced == rows.end() ? "" : fmt::format(", in brackets against {}", code(raced->baseline)));
    }
    text += fmt::format("{}, {}, {}.\n", machine(environment), text_of(environment, "date"),
                        code(text_of(environment, "command")));
    for (const Row& row : rows) {
        const std::string name = fmt::format("\n- {} ({}){}", escaped(row.plugin), to_string(row.device),
                                             row.shape.empty() ? "" : " at " + row.shape);
        if (!row.message.empty()) text += fmt::format("{}: {}: {}", name, to_string(row.status), escaped(row.message));
        if (!row.regression.empty()) text += fmt::format("{}: {}", name, escaped(row.regression));
    }
    return text + "\n";
}

}  // namespace judge
