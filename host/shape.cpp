#include "shape.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <vector>

namespace judge {

std::string to_string(const Shape& shape) {
    return fmt::format("{}x{}x{}", shape.M, shape.N, shape.K);
}

Shape parse_shape(const std::string& text) {
    std::vector<int> sizes;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        int size = 0;
        const auto [stop, error] = std::from_chars(at, end, size);
        const bool separated = stop == end || *stop == 'x';
        if (error != std::errc{} || size < 0 || !separated) {
            throw std::invalid_argument(fmt::format(
                "'{}' is not a shape: write MxNxK with sizes from 0 to 2147483647, as in 1000x777x3000", text));
        }
        sizes.push_back(size);
        if (stop == end) break;
        at = stop + 1;
    }
    if (sizes.size() == 1) return {sizes[0], sizes[0], sizes[0]};
    if (sizes.size() == 3) return {sizes[0], sizes[1], sizes[2]};
    throw std::invalid_argument(fmt::format("'{}' has {} sizes: a shape is MxNxK, or one number", text, sizes.size()));
}

}  // namespace judge
