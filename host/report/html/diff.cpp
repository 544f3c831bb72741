#include "report/html/diff.h"

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace judge::html {

std::vector<DiffLine> diff(const std::vector<std::string>& before, const std::vector<std::string>& after) {
    constexpr size_t kMost = 4000;  // the table below has 16 million entries then
    const bool too_long = before.size() > kMost || after.size() > kMost;
    const size_t rows = too_long ? 0 : before.size(), columns = too_long ? 0 : after.size();
    // common[i][j]: the longest common subsequence of before[i..] and after[j..].
    std::vector<std::vector<uint16_t>> common(rows + 1, std::vector<uint16_t>(columns + 1));
    for (size_t i = rows; i-- > 0;) {
        for (size_t j = columns; j-- > 0;) {
            common[i][j] = before[i] == after[j] ? uint16_t(common[i + 1][j + 1] + 1)
                                                 : std::max(common[i + 1][j], common[i][j + 1]);
        }
    }
    std::vector<DiffLine> lines;
    size_t i = 0, j = 0;
    while (i < rows && j < columns) {
        if (before[i] == after[j]) {
            lines.push_back({' ', after[j]});
            ++i, ++j;
        } else if (common[i + 1][j] >= common[i][j + 1]) {
            lines.push_back({'-', before[i++]});
        } else {
            lines.push_back({'+', after[j++]});
        }
    }
    for (; i < before.size(); ++i) lines.push_back({'-', before[i]});
    for (; j < after.size(); ++j) lines.push_back({'+', after[j]});
    return lines;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace judge::html
