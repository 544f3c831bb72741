// Where in C the elements lie that are wrong or were not written: a picture of the matrix, and what it looks like.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "values/json_fwd.h"

namespace judge {

struct WrongPlaces {
    int64_t rows = 0, columns = 0;  // of C, or of one product of a batch
    // C as at most 16 lines of at most 32 characters, each of which stands for ceil(rows / 16) x ceil(columns / 32)
    // elements: '.' none of those looked at is wrong, '1' to '9' so many tenths of them and less than the next tenth,
    // '#' all, ' ' none was looked at.
    std::vector<std::string> map;
    std::string where;    // the pattern: "only columns 5, 37, 69, ... (k mod 32 = 5)"; empty where there is none
    std::string meaning;  // what such a pattern usually comes from

    // "pattern: the last row: the edge: ..."; empty where there is none, or every element is wrong and nothing known.
    std::string text() const;

    bool operator==(const WrongPlaces&) const = default;
};

constexpr const char* kEverywhere = "every element";  // as `where`
constexpr int kMapLines = 16, kMapColumns = 32;

// Makes its texts ones that can be shown, and none larger than said above.
void clean(WrongPlaces& places);

void to_json(Json& json, const WrongPlaces& places);
void from_json(const Json& json, WrongPlaces& places);

}  // namespace judge
