#include "report/html/wrong_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "report/html/markup.h"
#include "report/html/numbers.h"

namespace judge::html {

namespace {

constexpr size_t kMostPictures = 24;  // of about 3 KB each
constexpr int kCell = 10;

// How much of a cell is wrong, in tenths; nothing of what was not looked at.
std::optional<int> tenths(char character) {
    if (character == '.') return 0;
    if (character == '#') return 10;
    if (character >= '1' && character <= '9') return character - '0';
    return std::nullopt;
}

// One path for each share of wrong elements: a picture of 16 x 32 cells in a few elements.
std::string picture(const WrongPlaces& places) {
    std::string cells[11], unseen;
    int width = 0;
    for (size_t line = 0; line < places.map.size(); ++line) {
        width = std::max(width, int(places.map[line].size()));
        for (size_t at = 0; at < places.map[line].size(); ++at) {
            const auto share = tenths(places.map[line][at]);
            std::string& into = share ? cells[*share] : unseen;
            into += fmt::format("M{} {}h{}v{}h-{}z", kCell * int(at), kCell * int(line), kCell, kCell, kCell);
        }
    }
    std::string body = fmt::format("<path class=\"seen\" d=\"{}\"/>", cells[0]);
    if (!unseen.empty()) body += fmt::format("<path class=\"unseen\" d=\"{}\"/>", unseen);
    for (int share = 1; share <= 10; ++share) {
        if (cells[share].empty()) continue;
        body +=
            fmt::format("<path class=\"off\" fill-opacity=\"{:.2g}\" d=\"{}\"/>", 0.25 + 0.075 * share, cells[share]);
    }
    return fmt::format("<svg viewBox=\"-1 -1 {} {}\" role=\"img\" aria-label=\"where C is wrong: {}\">{}</svg>",
                       kCell * width + 2, kCell * int(places.map.size()) + 2,
                       text(places.where.empty() ? "no pattern" : places.where), body);
}

std::string figure(const View& view, const Row& row) {
    const WrongPlaces& places = *row.wrong_places;
    const auto of_a_cell = [](int64_t all, int most) { return all > 0 ? (all - 1) / most + 1 : 0; };
    return fmt::format(
        "<figure>{}<figcaption><b>{}</b> at {}: {}. <span class=\"note\">C is {} x {}, a cell {} x "
        "{}.</span></figcaption></figure>\n",
        picture(places), name(label_of(view, row)), text(row.shape),
        text(places.where.empty() ? "no pattern" : places.where), places.rows, places.columns,
        of_a_cell(places.rows, kMapLines), of_a_cell(places.columns, kMapColumns));
}

}  // namespace

std::string wrong_places(const View& view) {
    std::string figures;
    std::set<std::string> drawn;
    for (const Row& row : view.rows()) {
        if (!row.wrong_places || row.wrong_places->map.empty() || row.wrong_places->where == kEverywhere) continue;
        if (drawn.size() == kMostPictures || !drawn.insert(row.plugin).second) continue;
        figures += figure(view, row);
    }
    if (figures.empty()) return {};
    return "<p class=\"note\">Where C is wrong: the stronger the red of a cell, the more of it; dashed was not looked "
           "at.</p>\n<div class=\"maps\">\n" +
           figures + "</div>\n";
}

}  // namespace judge::html
