// Numbers as a row of bars of text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace judge {

// At most `most` of the eight block characters: one for each value, or for the median of as many neighbours as it
// takes, the last ones included; the smallest value is the lowest bar, the largest the highest. All are the lowest
// where they are within 1 % of each other, which is noise. Empty for no values.
std::string sparkline(const std::vector<double>& values, size_t most);

}  // namespace judge
