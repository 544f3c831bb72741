#include "report/html/table.h"

#include <fmt/format.h>

#include "report/html/markup.h"

namespace judge::html {

Table::Table(std::string caption, std::vector<Heading> headings)
    : caption_(std::move(caption)), headings_(std::move(headings)) {}

void Table::add(const std::vector<Cell>& cells) {
    body_ += "<tr>";
    for (size_t i = 0; i < cells.size(); ++i) {
        const Cell& cell = cells[i];
        body_ += i == 0 ? "<th scope=\"row\"" : "<td";
        if (!cell.style.empty()) body_ += fmt::format(" class=\"{}\"", cell.style);
        body_ += fmt::format(">{}</{}>", cell.html, i == 0 ? "th" : "td");
    }
    body_ += "</tr>\n";
    ++rows_;
}

std::string Table::html(const std::string& id) const {
    std::string head, aligned;
    for (size_t i = 0; i < headings_.size(); ++i) {
        head += fmt::format("<th scope=\"col\">{}</th>", headings_[i].html);
        // For all cells of a column at once: most of a page's bytes are cells.
        if (headings_[i].number) aligned += fmt::format("{}r{}", aligned.empty() ? "" : " ", i + 1);
    }
    return fmt::format(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table class=\"{4}\"{1}>"
        "<caption>{0}</caption><thead><tr>{2}</tr></thead><tbody>\n{3}</tbody></table></div>\n",
        text(caption_), id.empty() ? "" : " id=\"" + id + "\"", head, body_, aligned);
}

std::string Table::folded(const std::string& summary) const {
    constexpr size_t kShort = 12;
    return fmt::format("<details{}><summary>{}</summary>{}</details>\n", rows_ <= kShort ? " open" : "", summary,
                       html());
}

}  // namespace judge::html
