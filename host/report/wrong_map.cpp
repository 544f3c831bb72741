#include "report/wrong_map.h"

#include <fmt/format.h>

#include <set>

namespace judge {

namespace {

constexpr size_t kMostMaps = 4;

bool is_worth_a_picture(const WrongPlaces& places) {
    return !places.map.empty() && places.where != kEverywhere;
}

std::string draw(const Row& row) {
    const WrongPlaces& places = *row.wrong_places;
    const auto of_a_character = [](int64_t all, int most) { return (all - 1) / most + 1; };
    std::string text =
        fmt::format("\nC of {} at {} is {}x{}, a character here {}x{}: {}\n", row.plugin, row.shape, places.rows,
                    places.columns, of_a_character(places.rows, kMapLines), of_a_character(places.columns, kMapColumns),
                    places.where.empty() ? "no pattern" : places.where);
    for (const std::string& line : places.map) text += fmt::format("    |{}|\n", line);
    return text;
}

}  // namespace

std::string draw_wrong_places(const std::vector<Row>& rows) {
    std::string text;
    std::set<std::string> drawn;
    size_t left_out = 0;
    for (const Row& row : rows) {
        if (!row.wrong_places || !is_worth_a_picture(*row.wrong_places)) continue;
        if (drawn.contains(row.plugin) || drawn.size() == kMostMaps) {
            ++left_out;
            continue;
        }
        drawn.insert(row.plugin);
        text += draw(row);
    }
    if (text.empty()) return text;
    text += ". right, 1 to 9 so many tenths wrong, # all wrong, blank not looked at";
    return text + (left_out > 0 ? fmt::format("; {} more in the file of --json\n\n", left_out) : "\n\n");
}

}  // namespace judge
