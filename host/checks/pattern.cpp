#include "checks/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>

#include "base/counted.h"
#include "checks/wrong_contents.h"
#include "checks/wrong_lines.h"

namespace judge {

namespace {

class Picture {
  public:
    Picture(const JudgedRows& judged, const Shape& shape) : judged_(judged), shape_(shape) {
        rows_ = {"row", "m", "M", shape.M, judged.rows, std::vector<Share>(judged.rows.size())};
        std::vector<int> columns(judged.columns);
        std::iota(columns.begin(), columns.end(), 0);
        columns_ = {"column", "k", "K", shape.K, columns, std::vector<Share>(columns.size())};
        wrong_.resize(judged.got.size());
        for (size_t at = 0; at < wrong_.size(); ++at) {
            wrong_[at] = judged.is_wrong(at);
            rows_.shares[row_of(at)].add(wrong_[at]);
            columns_.shares[column_of(at)].add(wrong_[at]);
            total_.add(wrong_[at]);
        }
    }

    std::vector<std::string> map() const {
        const int64_t height = (shape_.M - 1) / kMapLines + 1, width = (shape_.K - 1) / kMapColumns + 1;
        const int64_t lines = (shape_.M - 1) / height + 1, characters = (shape_.K - 1) / width + 1;
        std::vector<std::vector<Share>> cells(lines, std::vector<Share>(characters));
        for (size_t at = 0; at < wrong_.size(); ++at) {
            cells[judged_.rows[row_of(at)] / height][column_of(at) / width].add(wrong_[at]);
        }
        std::vector<std::string> text;
        for (const auto& line : cells) {
            text.emplace_back();
            for (const Share& cell : line) text.back() += character(cell);
        }
        return text;
    }

    // Where they lie, without a look at what they hold.
    Finding place() const {
        if (total_.none()) return {};
        if (total_.full()) return {kEverywhere, ""};
        if (total_.wrong == 1) return {};  // the message says where
        for (const LinesOfC* lines : {&columns_, &rows_}) {
            if (const auto found = whole_lines(*lines)) return *found;
        }
        for (const auto& found : {edges(), diagonal(), places(), from_some_element_on(), tiles()}) {
            if (found) return *found;
        }
        return {};
    }

    std::string repeats() const {
        if (judged_.again.empty()) return {};
        int64_t differ = 0;
        for (size_t at = 0; at < wrong_.size(); ++at) {
            const bool equal = std::memcmp(&judged_.got[at], &judged_.again[at], sizeof(float)) == 0;
            differ += !equal;
        }
        if (differ == 0) return {};
        return fmt::format(
            "an equal call left other values in {}: a race (a barrier is missing, as __syncthreads(), or several "
            "threads "
            "or blocks add to the same element), or memory that was never set",
            counted(uint64_t(differ), "element"));
    }

  private:
    size_t row_of(size_t at) const { return at / judged_.columns; }
    int column_of(size_t at) const { return int(at % judged_.columns); }
    bool every_row() const { return int(judged_.rows.size()) == shape_.M; }

    static char character(const Share& cell) {
        if (cell.all == 0) return ' ';
        if (cell.wrong == 0) return '.';
        if (cell.wrong == cell.all) return '#';
        return char('0' + std::max<int64_t>(1, 10 * cell.wrong / cell.all));
    }

    // The last rows and the last columns together, or only where they meet.
    std::optional<Finding> edges() const {
        const auto first_bad_tail = [&](const LinesOfC& lines) {
            int first = lines.count;
            for (size_t i = lines.shares.size(); i-- > 0 && lines.shares[i].full();) first = lines.numbers[i];
            return first;
        };
        const int row = first_bad_tail(rows_), column = first_bad_tail(columns_);
        if (row < shape_.M && column < shape_.K && matches([&](int r, int c) { return r >= row || c >= column; })) {
            return Finding{fmt::format("the last {} rows and the last {} columns", shape_.M - row, shape_.K - column),
                           "the edges: the last tiles are parts of one"};
        }
        int r0 = shape_.M, c0 = shape_.K;
        for (size_t at = 0; at < wrong_.size(); ++at) {
            if (!wrong_[at]) continue;
            r0 = std::min(r0, judged_.rows[row_of(at)]);
            c0 = std::min(c0, column_of(at));
        }
        if (shape_.M - r0 > 1 && shape_.K - c0 > 1 && r0 > 0 && c0 > 0 &&
            matches([&](int r, int c) { return r >= r0 && c >= c0; })) {
            return Finding{fmt::format("the corner from ({}, {}) on", r0, c0), "the last tile, a part of one"};
        }
        return std::nullopt;
    }

    std::optional<Finding> diagonal() const {
        if (total_.wrong < 4 || !matches([](int r, int c) { return r == c; })) return std::nullopt;
        return Finding{"the diagonal",
                       "the rows and columns of a tile are exchanged somewhere, or one index is used "
                       "for both"};
    }

    // The same ones in each tile.
    std::optional<Finding> places() const {
        const std::vector<int> rows = rows_.bad(), columns = columns_.bad();
        const auto crossing = [&](int row, int column) {
            return std::binary_search(rows.begin(), rows.end(), row) &&
                   std::binary_search(columns.begin(), columns.end(), column);
        };
        return matches(crossing) ? crossings(rows_, columns_) : std::nullopt;
    }

    std::optional<Finding> from_some_element_on() const {
        if (!every_row()) return std::nullopt;
        const size_t first = size_t(std::find(wrong_.begin(), wrong_.end(), true) - wrong_.begin());
        const size_t wrong = size_t(total_.wrong), behind = wrong_.size() - first;
        if (wrong < 4 || 10 * wrong < 9 * behind) return std::nullopt;
        return Finding{fmt::format("every element from number {} on, of {}", first, wrong_.size()),
                       "the grid ends too early, or an index is too small for its type"};
    }

    std::optional<Finding> tiles() const {
        for (int area = 1 << 16; area >= 64; area /= 2) {
            for (int height = 256; height >= 8; height /= 2) {
                const int width = area / height;
                if (width < 8 || width > 256 || height > shape_.M || width > shape_.K) continue;
                if (const auto found = tiles(height, width)) return found;
            }
        }
        return std::nullopt;
    }

    std::optional<Finding> tiles(int height, int width) const {
        const int across = (shape_.K - 1) / width + 1, down = (shape_.M - 1) / height + 1;
        if (across * down < 4) return std::nullopt;
        std::vector<Share> tiles(size_t(across) * down);
        for (size_t at = 0; at < wrong_.size(); ++at) {
            tiles[size_t(judged_.rows[row_of(at)] / height) * across + column_of(at) / width].add(wrong_[at]);
        }
        int count = 0, first = -1, seen = 0;
        for (size_t i = 0; i < tiles.size(); ++i) {
            seen += tiles[i].all > 0;
            if (tiles[i].none()) continue;
            if (!tiles[i].full()) return std::nullopt;
            if (count++ == 0) first = int(i);
        }
        const std::string text = count == 1
                                     ? fmt::format("one tile of {}x{}, at ({}, {})", height, width,
                                                   first / across * height, first % across * width)
                                     : fmt::format("{} of {} tiles of {}x{}, the first at ({}, {})", count, seen,
                                                   height, width, first / across * height, first % across * width);
        return Finding{
            text,
            "a block that did not run or wrote to another's place, or that used what an earlier tile had left in its "
            "buffer (shared memory)"};
    }

    // Whether wrong are those for which this is true, and no others.
    template <class Rule>
    bool matches(Rule rule) const {
        Share inside;
        for (size_t at = 0; at < wrong_.size(); ++at) {
            const bool belongs = rule(judged_.rows[row_of(at)], column_of(at));
            if (belongs) inside.add(wrong_[at]);
            if (!belongs && wrong_[at]) return false;
        }
        return inside.full();
    }

    const JudgedRows& judged_;
    const Shape& shape_;
    std::vector<bool> wrong_;
    LinesOfC rows_, columns_;
    Share total_;
};

}  // namespace

WrongPlaces find_pattern(const JudgedRows& judged, const Shape& shape) {
    WrongPlaces places;
    places.rows = shape.M;
    places.columns = shape.K;
    if (judged.rows.empty() || judged.columns == 0) return places;
    const Picture picture(judged, shape);
    places.map = picture.map();
    Finding found = picture.place();
    places.where = found.where;
    const std::string contents = wrong_contents(judged, shape), repeats = picture.repeats();
    places.meaning = contents.empty() ? found.meaning : contents;
    if (!repeats.empty()) places.meaning += (places.meaning.empty() ? "" : "; ") + repeats;
    return places;
}

}  // namespace judge
