#include "report/sparkline.h"

#include <algorithm>
#include <array>

#include "base/statistics.h"

namespace judge {

std::string sparkline(const std::vector<double>& values, size_t most) {
    if (values.empty() || most == 0) return "";
    const size_t count = std::min(values.size(), most);
    std::vector<double> shown;
    for (size_t i = 0; i < count; ++i) {
        const auto begin = values.begin() + long(i * values.size() / count);
        const auto end = values.begin() + long((i + 1) * values.size() / count);
        shown.push_back(median({begin, end}));
    }
    constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const auto [low, high] = std::minmax_element(shown.begin(), shown.end());
    const double range = *high - *low;
    const bool even = range <= 0.01 * *high;
    std::string text;
    for (const double value : shown) {
        text += kBars[even ? 0 : std::min(size_t{7}, size_t(8 * (value - *low) / range))];
    }
    return text;
}

}  // namespace judge
