#include "report/html/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/wrong_places.h"
#include "values/json.h"

namespace judge::html {

namespace {

constexpr size_t kMostMessages = 40;

struct Tally {
    Status status;
    size_t rows = 0;
};

std::vector<Tally> tally(const std::vector<Row>& rows) {
    std::vector<Tally> found;
    for (const Row& row : rows) {
        auto at = std::find_if(found.begin(), found.end(), [&](const Tally& t) { return t.status == row.status; });
        if (at == found.end()) at = found.insert(found.end(), {row.status});
        ++at->rows;
    }
    std::stable_sort(found.begin(), found.end(), [](const Tally& a, const Tally& b) { return a.rows > b.rows; });
    return found;
}

std::string title_of(const std::vector<Row>& rows) {
    const auto count = [&](auto is_so) { return size_t(std::count_if(rows.begin(), rows.end(), is_so)); };
    const size_t right = count([](const Row& row) { return is_right(row.status); });
    const size_t limited = count([](const Row& row) { return row.status == Status::limited; });
    const size_t not_run = count([](const Row& row) { return row.status == Status::unsupported; });
    if (rows.empty()) return "No row is finished yet.";
    std::string title;
    if (right == rows.size()) {
        title = rows.size() == 1 ? "The row is right" : fmt::format("All {} rows are right", rows.size());
    } else {
        title = fmt::format("{} of {} right", right, counted(int64_t(rows.size()), "row"));
        if (const size_t bad = rows.size() - right - not_run; bad > 0) {
            title += fmt::format(", {} not", bad);
        }
        if (not_run > 0) title += fmt::format(", {} could not run here", not_run);
    }
    if (limited > 0) title += fmt::format("; {} only where asked (limited)", count_of(limited, "row", "is", "are"));
    return title + ".";
}

}  // namespace

Section summary(const View& view) {
    Section section{"verdicts", "Verdicts", {}, {}};
    std::string chips, messages;
    for (const auto& [status, count] : tally(view.rows())) {
        chips += fmt::format("<li class=\"chip s-{0}\"><b>{1}</b> {0}</li>", to_string(status), count);
    }
    size_t said = 0;
    for (const Row& row : view.rows()) {
        if (row.message.empty() || ++said > kMostMessages) continue;
        messages += fmt::format("<li><b class=\"s-{0}\">{0}</b> {1}{2}: {3}</li>\n", to_string(row.status),
                                name(label_of(view, row)), row.shape.empty() ? "" : " at " + text(row.shape),
                                text(row.message));
    }
    if (said > kMostMessages) {
        messages += fmt::format("<li>and {} more, in the table of all rows</li>\n", said - kMostMessages);
    }
    section.body = fmt::format("<h3>{}</h3>\n<ul class=\"chips\">{}</ul>\n", title_of(view.rows()), chips);
    const bool elsewhere = std::any_of(view.rows().begin(), view.rows().end(),
                                       [&](const Row& row) { return row.device != view.device(); });
    if (elsewhere && view.no_speed().empty()) {
        section.body += fmt::format(
            "<p class=\"note\">The charts of speed are of the rows on {}: times of two devices are not compared, and "
            "emulated rows have none.</p>\n",
            to_string(view.device()));
    }
    if (!messages.empty()) section.body += fmt::format("<ul class=\"messages\">\n{}</ul>\n", messages);
    section.body += wrong_places(view);
    return section;
}

}  // namespace judge::html
