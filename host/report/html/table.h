// A table of the page. With JavaScript a click on a heading sorts it, by the figures that its cells begin with.
#pragma once

#include <string>
#include <vector>

namespace judge::html {

struct Cell {
    std::string html;
    std::string style = {};  // classes of the page's CSS
};

struct Heading {
    std::string html;
    bool number = true;  // to the right
};

class Table {
  public:
    // `caption` is what the table holds, for those who hear the page: text, not HTML.
    Table(std::string caption, std::vector<Heading> headings);

    void add(const std::vector<Cell>& cells);  // one for each heading; the first one names the row
    bool empty() const { return rows_ == 0; }
    size_t size() const { return rows_; }

    std::string html(const std::string& id = {}) const;

    // The same with a line that opens and closes it; open at first if it is short.
    std::string folded(const std::string& summary) const;

  private:
    std::string caption_;
    std::vector<Heading> headings_;
    std::string body_;
    size_t rows_ = 0;
};

}  // namespace judge::html
