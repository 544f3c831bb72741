// What wrong elements hold in place of what they should.
#pragma once

#include <string>

#include "checks/judged_rows.h"
#include "values/shape.h"

namespace judge {

// "the last of the 50 terms is missing", by the samples, all of which must agree: 0, a multiple, a sum without its
// first or last terms, the element on the other side of the diagonal, a neighbour's value. Empty if it is nothing that
// is known.
std::string wrong_contents(const JudgedRows& judged, const Shape& shape);

}  // namespace judge
