#include "values/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <vector>

namespace judge {

double Shape::flops() const {
    if (!is_chain()) return 2.0 * M * N * K;
    const double left_first = 2.0 * M * N * K + 2.0 * M * K * L;
    const double right_first = 2.0 * N * K * L + 2.0 * M * N * L;
    return std::min(left_first, right_first);
}

std::string to_string(const Shape& shape) {
    const std::string text = fmt::format("{}x{}x{}", shape.M, shape.N, shape.K);
    return shape.is_chain() ? fmt::format("{}x{}", text, shape.L) : text;
}

Shape parse_shape(const std::string& text, Operation operation) {
    const bool chain = operation == Operation::chain;
    const char* const form = chain ? "MxNxKxL" : "MxNxK";
    std::vector<int> sizes;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        int size = 0;
        const auto [stop, error] = std::from_chars(at, end, size);
        const bool separated = stop == end || *stop == 'x';
        if (error != std::errc{} || size < 0 || !separated) {
            throw std::invalid_argument(
                fmt::format("'{}' is not a shape: write {} with sizes from 0 to 2147483647, as in 1000x777x3000{}",
                            text, form, chain ? "x64" : ""));
        }
        sizes.push_back(size);
        if (stop == end) break;
        at = stop + 1;
    }
    if (sizes.size() == 1) sizes.resize(chain ? 4 : 3, sizes[0]);
    if (sizes.size() == 3 && !chain) return {sizes[0], sizes[1], sizes[2]};
    if (sizes.size() == 4 && chain) return {sizes[0], sizes[1], sizes[2], sizes[3]};
    throw std::invalid_argument(fmt::format("'{}' has {} sizes: a shape is {}, or one number{}", text, sizes.size(),
                                            form, sizes.size() == 4 ? "; four sizes need --op chain" : ""));
}

}  // namespace judge
