// Rows or columns of C that are wrong as a whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace judge {

struct Finding {
    std::string where, meaning;
};

// How many elements of a part of C were looked at, and how many of these are wrong. An element may be right by chance.
struct Share {
    int64_t wrong = 0, all = 0;
    void add(bool is_wrong) {
        wrong += is_wrong;
        ++all;
    }
    bool none() const { return wrong == 0; }
    bool full() const { return all > 0 && 10 * wrong >= 9 * all; }
};

// One dimension of C: the lines (rows or columns) that were looked at, in order, and whether each is wrong as a whole.
struct LinesOfC {
    const char* name;    // "row"
    const char* letter;  // "m": what counts them
    const char* size;    // "M": what their number is called
    int count;           // that number
    std::vector<int> numbers;
    std::vector<Share> shares;

    bool all_or_none() const {
        return std::all_of(shares.begin(), shares.end(), [](const Share& s) { return s.none() || s.full(); });
    }
    std::vector<int> bad() const {
        std::vector<int> lines;
        for (size_t i = 0; i < shares.size(); ++i) {
            if (!shares[i].none()) lines.push_back(numbers[i]);
        }
        return lines;
    }
};

// Where whole lines are wrong and no others: the last ones, every so many, one, or some side by side. Nothing where the
// lines say nothing.
std::optional<Finding> whole_lines(const LinesOfC& lines);

// Where the rows and the columns with anything wrong come again every so many: of elements that are wrong where such a
// row meets such a column, and nowhere else. Nothing where one of them has no period.
std::optional<Finding> crossings(const LinesOfC& rows, const LinesOfC& columns);

}  // namespace judge
