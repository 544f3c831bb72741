#include "checks/wrong_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "base/counted.h"

namespace judge {

namespace {

class Contents {
  public:
    Contents(const JudgedRows& judged, const Shape& shape) : judged_(judged), shape_(shape) {}

    std::string find() const {
        for (const std::string& found : {constant(), lost_terms(), stale_tile(), transposed(), shifted()}) {
            if (!found.empty()) return found;
        }
        return {};
    }

  private:
    size_t row_of(size_t at) const { return at / size_t(judged_.columns); }
    int column_of(size_t at) const { return int(at % size_t(judged_.columns)); }

    // Whether each sample holds what `value` says it might, in place of what it should; false without samples.
    template <class Value>
    bool samples_hold(Value value) const {
        return !judged_.samples.empty() &&
               std::all_of(judged_.samples.begin(), judged_.samples.end(), [&](const JudgedRows::Sample& sample) {
                   const std::optional<double> guess = value(sample);
                   return guess && std::abs(judged_.got[sample.at] - *guess) <= 2 * judged_.bound[sample.at];
               });
    }

    std::string constant() const {
        if (samples_hold([](const auto&) { return 0.0; })) return "they are 0: never summed up, or cleared afterwards";
        for (const auto& [factor, text] : {std::pair{2.0, "twice what they should be: each term counts twice"},
                                           {-1.0, "the negative of what they should be"},
                                           {0.5, "half of what they should be"}}) {
            if (samples_hold([&](const auto& sample) { return factor * judged_.want[sample.at]; })) return text;
        }
        return {};
    }

    std::string lost_terms() const {
        const auto lost = [&](std::vector<double> JudgedRows::Sample::*terms, const char* which) -> std::string {
            for (size_t count = 1; count <= 64; ++count) {
                const bool found = samples_hold([&](const JudgedRows::Sample& sample) -> std::optional<double> {
                    const std::vector<double>& all = sample.*terms;
                    if (all.size() < count) return std::nullopt;
                    return judged_.want[sample.at] - std::accumulate(all.begin(), all.begin() + long(count), 0.0);
                });
                if (found) return lost_text(int(count), which);
            }
            return {};
        };
        const std::string last = lost(&JudgedRows::Sample::last_terms, "last");
        return last.empty() ? lost(&JudgedRows::Sample::first_terms, "first") : last;
    }

    std::string lost_text(int count, const char* which) const {
        std::string text = count == 1 ? fmt::format("the {} of the {} terms is missing", which, shape_.N)
                                      : fmt::format("the {} {} of the {} terms are missing", which, count, shape_.N);
        for (int tile = 8; tile <= 256; tile *= 2) {
            if (shape_.N > tile && shape_.N % tile == count) {
                return text + fmt::format(": N mod {}, the remainder behind the last whole step", tile);
            }
        }
        return text;
    }

    // The last tile along N is a part of one, and what the tile before left behind that part is summed up once more.
    std::string stale_tile() const {
        for (int tile = 8; tile <= 64; tile *= 2) {
            const int part = shape_.N % tile;
            if (shape_.N < tile || part == 0) continue;
            const bool found = samples_hold([&](const JudgedRows::Sample& sample) -> std::optional<double> {
                const std::vector<double>& last = sample.last_terms;  // the last one first
                if (int(last.size()) < tile) return std::nullopt;
                return judged_.want[sample.at] + std::accumulate(last.begin() + part, last.begin() + tile, 0.0);
            });
            if (!found) continue;
            return fmt::format(
                "{} before the last {} count twice: N mod {} = {}, so the last tile is a part of one, and "
                "keeps behind it what the tile before left in shared memory",
                counted(uint64_t(tile - part), "term"), part, tile, part);
        }
        return {};
    }

    std::optional<double> want_at(int row, int column) const {
        const auto found = std::lower_bound(judged_.rows.begin(), judged_.rows.end(), row);
        if (found == judged_.rows.end() || *found != row || column < 0 || column >= judged_.columns) return {};
        return judged_.want[size_t(found - judged_.rows.begin()) * judged_.columns + column];
    }

    std::string transposed() const {
        const bool found = shape_.M == shape_.K && samples_hold([&](const JudgedRows::Sample& sample) {
                               return want_at(column_of(sample.at), judged_.rows[row_of(sample.at)]);
                           });
        return found ? "C is transposed" : "";
    }

    std::string shifted() const {
        for (int distance = 1; distance <= 256; distance *= 2) {
            for (const auto& [down, across, text] : {std::tuple{0, -1, "{} to the left"},
                                                     {0, 1, "{} to the right"},
                                                     {-1, 0, "{} above"},
                                                     {1, 0, "{} below"}}) {
                const bool found = samples_hold([&, down = down, across = across](const JudgedRows::Sample& sample) {
                    return want_at(judged_.rows[row_of(sample.at)] + down * distance,
                                   column_of(sample.at) + across * distance);
                });
                if (!found) continue;
                const char* const unit = down != 0 ? "row" : "column";
                return "they hold what belongs " + fmt::format(fmt::runtime(text), counted(uint64_t(distance), unit)) +
                       (distance == 1 ? ": an index is off by one" : ": the results of another tile");
            }
        }
        return {};
    }

    const JudgedRows& judged_;
    const Shape& shape_;
};

}  // namespace

std::string wrong_contents(const JudgedRows& judged, const Shape& shape) {
    return Contents(judged, shape).find();
}

}  // namespace judge
