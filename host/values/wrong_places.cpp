#include "values/wrong_places.h"

#include <algorithm>

#include "base/clean_text.h"
#include "values/json.h"

namespace judge {

std::string WrongPlaces::text() const {
    if (where.empty() || where == kEverywhere) return meaning;
    return "pattern: " + where + (meaning.empty() ? "" : ": " + meaning);
}

void clean(WrongPlaces& places) {
    constexpr size_t kMost = 500;
    places.where = cleaned(places.where, kMost);
    places.meaning = cleaned(places.meaning, kMost);
    places.map.resize(std::min(places.map.size(), size_t{kMapLines}));
    for (std::string& line : places.map) {
        line.resize(std::min(line.size(), size_t{kMapColumns}));
        const auto unknown = [](char c) { return c != '.' && c != '#' && c != ' ' && !(c >= '1' && c <= '9'); };
        std::replace_if(line.begin(), line.end(), unknown, ' ');
    }
}

void to_json(Json& json, const WrongPlaces& places) {
    json["rows"] = places.rows;
    json["columns"] = places.columns;
    json["map"] = places.map;
    json["where"] = places.where;
    json["meaning"] = places.meaning;
}

void from_json(const Json& json, WrongPlaces& places) {
    json.at("rows").get_to(places.rows);
    json.at("columns").get_to(places.columns);
    json.at("map").get_to(places.map);
    json.at("where").get_to(places.where);
    json.at("meaning").get_to(places.meaning);
}

}  // namespace judge
