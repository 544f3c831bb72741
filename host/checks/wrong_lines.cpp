#include "checks/wrong_lines.h"

#include <fmt/format.h>

#include <set>

namespace judge {

namespace {

// The largest power of two, from 8 to 256, at a multiple of which `first` lies, with less than one of it behind.
int partial_tile(int first, int count) {
    for (int tile = 256; tile >= 8; tile /= 2) {
        if (first % tile == 0 && count - first < tile) return tile;
    }
    return 0;
}

const char* meaning_of_period(int period) {
    switch (period) {
        case 2:
            return "the second of two that go together: a float2, a packed pair, a stride of 2";
        case 4:
            return "one part of a float4, or of the four elements of a thread";
        case 32:
            return "one lane of each warp";
        default:
            return "one place in each tile, or in each thread's piece of it";
    }
}

// The smallest period by which lines are wrong, at least three times over; 0 if there is none.
int period_of(const LinesOfC& lines) {
    for (int period = 2; period <= 256 && 3 * period <= lines.count; ++period) {
        std::vector<int> state(period, -1);  // of the lines of each remainder: not seen, right, wrong
        bool holds = true;
        for (size_t i = 0; i < lines.numbers.size() && holds; ++i) {
            int& known = state[lines.numbers[i] % period];
            const int now = lines.shares[i].none() ? 0 : 1;
            holds = known < 0 || known == now;
            known = now;
        }
        if (holds && std::count(state.begin(), state.end(), -1) == 0) return period;
    }
    return 0;
}

std::string list_of(const std::vector<int>& numbers) {
    std::string text;
    for (size_t i = 0; i < std::min<size_t>(numbers.size(), 4); ++i) {
        text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
    }
    return numbers.size() > 4 ? text + ", ..." : text;
}

// The remainders of the wrong lines, in order.
std::vector<int> places_within(const std::vector<int>& bad, int period) {
    std::set<int> remainders;
    for (const int number : bad) remainders.insert(number % period);
    return {remainders.begin(), remainders.end()};
}

Finding tail_finding(const LinesOfC& lines, int first, int wrong) {
    const int tile = partial_tile(first, lines.count);
    const std::string where = wrong == 1 ? fmt::format("the last {}", lines.name)
                                         : fmt::format("the last {} {}s, from {} on", wrong, lines.name, first);
    if (tile > 0 && first > 0 && lines.count % tile != 0) {
        return {where, fmt::format("the edge: {} = {} is no multiple of {}, and the last tile is a part of one",
                                   lines.size, lines.count, tile)};
    }
    return {where, fmt::format("a bound that ends too early, or a grid that does not cover {}", lines.size)};
}

}  // namespace

std::optional<Finding> whole_lines(const LinesOfC& lines) {
    const std::vector<int> bad = lines.bad();
    if (bad.empty() || bad.size() == lines.numbers.size() || !lines.all_or_none()) return std::nullopt;
    const auto begin = std::find(lines.numbers.begin(), lines.numbers.end(), bad.front());
    const bool together = std::equal(bad.begin(), bad.end(), begin) && bad.back() - bad.front() + 1 == int(bad.size());
    if (together && bad.back() == lines.count - 1) return tail_finding(lines, bad.front(), int(bad.size()));
    if (const int period = period_of(lines); period > 0) {
        const std::vector<int> places = places_within(bad, period);
        const std::string every = period == 2 ? fmt::format("every other {}", lines.name)
                                              : fmt::format("{} {} of every {}", lines.name, list_of(places), period);
        return Finding{fmt::format("{}, counted from 0 ({} mod {} = {})", every, lines.letter, period, list_of(places)),
                       meaning_of_period(period)};
    }
    if (bad.size() == 1) return Finding{fmt::format("{} {}", lines.name, bad[0]), "one index is left out or mistaken"};
    if (!together) return std::nullopt;
    return Finding{fmt::format("{}s {} to {}", lines.name, bad.front(), bad.back()),
                   "what one block, warp or thread computes"};
}

std::optional<Finding> crossings(const LinesOfC& rows, const LinesOfC& columns) {
    const int down = period_of(rows), across = period_of(columns);
    if (down == 0 || across == 0) return std::nullopt;
    const std::vector<int> m = places_within(rows.bad(), down), k = places_within(columns.bad(), across);
    const bool one = m.size() == 1 && k.size() == 1;
    // A warp's 32 threads lie in 2 rows of a block that is 16 wide, in 4 of one that is 8 wide.
    const char* const meaning = one && down * across == 32 ? "one lane of each warp"
                                : one                      ? meaning_of_period(0)
                                      : "some places in each tile, or in each thread's piece of it";
    return Finding{fmt::format("row {} of every {} where it meets column {} of every {}, counted from 0", list_of(m),
                               down, list_of(k), across),
                   meaning};
}

}  // namespace judge
