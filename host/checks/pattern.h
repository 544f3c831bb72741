// What the places of wrong elements in C tell of the mistake.
#pragma once

#include "checks/judged_rows.h"
#include "values/shape.h"
#include "values/wrong_places.h"

namespace judge {

// C as a map, and, where the wrong elements make a pattern, which one and what usually makes it: the last tile, every
// other column, a lane of a warp, whole tiles, the transposed product, terms that are lost, equal calls that differ.
// Both are empty where the wrong elements lie here and there.
WrongPlaces find_pattern(const JudgedRows& judged, const Shape& shape);

}  // namespace judge
