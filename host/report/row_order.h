// In which order the rows of a run are shown.
#pragma once

#include <string>
#include <vector>

#include "values/record.h"

namespace judge {

// none: as they were judged. speed: the fastest first, within a class, and then what was not timed; error: the smallest
// largest error first.
enum class Sort { none, speed, name, error };

// Shape by shape, in the order in which the shapes first came, and so within each; as they are for Sort::none.
std::vector<Row> sorted(const std::vector<Row>& rows, Sort sort);

// The different shapes, in the order in which they first come.
std::vector<std::string> shapes_of(const std::vector<Row>& rows);

// The place of a row's class, as it was measured: from the best to the worst, then none.
int class_rank(const Row& row);

}  // namespace judge
