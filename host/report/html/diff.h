// The lines in which two texts differ.
#pragma once

#include <string>
#include <vector>

namespace judge::html {

struct DiffLine {
    char kind;  // ' ' in both, '+' in the second only, '-' in the first only
    std::string text;
};

// The least number of lines added and removed that make `after` of `before`. Above 4000 lines of either, all of
// `before` is removed and all of `after` added.
std::vector<DiffLine> diff(const std::vector<std::string>& before, const std::vector<std::string>& after);

std::vector<std::string> lines_of(const std::string& text);

}  // namespace judge::html
