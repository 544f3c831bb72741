#include "report/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/text_width.h"
#include "report/sparkline.h"
#include "values/json.h"

namespace judge {

std::string time_left(const RunState& state) {
    if (state.passed == 0 || state.passed >= state.expected) return "";
    const double left = state.seconds / double(state.passed) * double(state.expected - state.passed);
    return left < 99.5 ? fmt::format("{:.0f} s", std::ceil(left)) : fmt::format("{:.0f} min", std::ceil(left / 60));
}

std::vector<std::string> live_view(const std::vector<Row>& rows, const RunState& state, const TableStyle& style,
                                   size_t height) {
    std::vector<std::string> lines;
    std::istringstream table(format_blocks(rows, style));
    for (std::string line; std::getline(table, line);) lines.push_back(line);
    // A line stays for what is being done, and one for how many are not shown.
    if (lines.size() + 1 > height) {
        const size_t kept = height > 2 ? height - 2 : 0, hidden = lines.size() - kept;
        lines.erase(lines.begin(), lines.begin() + long(hidden));
        lines.insert(lines.begin(), fmt::format("... {} lines above this one", hidden));
    }
    std::string end;
    if (!state.batches_ms.empty()) {
        end += fmt::format("  {} {}", duration(state.batches_ms.back()), sparkline(state.batches_ms, 16));
    }
    if (const std::string left = time_left(state); !left.empty()) end += fmt::format("  about {} left", left);
    const size_t room = style.width == 0 ? 200 : style.width;
    lines.push_back(shortened(state.doing, room - std::min(room, width(end))) + end);
    for (std::string& line : lines) line = shortened(line, room);
    return lines;
}

std::string line_of(const Row& row) {
    std::string text = fmt::format("{} {} ({})", mark_of(row), row.plugin, to_string(row.device));
    if (!row.shape.empty()) text += " at " + row.shape;
    text += ": " + to_string(row.status);
    if (const std::string precision = class_of(row); is_right(row.status) && !precision.empty()) {
        text += ", " + precision;
    }
    if (row.median_ms && is_right(row.status)) {
        text += fmt::format(", {}", duration(*row.median_ms));
        if (row.tflops) text += fmt::format(", {:.3g} TFLOP/s", *row.tflops);
        if (row.ratio) text += fmt::format(", {:.3f} x {}", *row.ratio, row.baseline);
    }
    if (!row.regression.empty()) text += "; slower: " + row.regression;
    return row.message.empty() ? text : text + ": " + row.message;
}

}  // namespace judge
