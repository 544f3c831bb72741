#include "values/data.h"

#include <algorithm>
#include <stdexcept>

namespace judge {

// In the order of enum Data.
std::vector<std::string> data_names() {
    return {"uniform", "normal", "positive", "wide", "integers", "wide20", "wide40", "uneven", "tiny", "huge"};
}

std::string to_string(Data data) {
    return data_names().at(static_cast<size_t>(data));
}

Data parse_data(const std::string& name) {
    const auto names = data_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw std::invalid_argument("no such distribution: " + name);
    return static_cast<Data>(found - names.begin());
}

namespace {

RandomMatrix random_matrix(uint64_t seed, Data data, int64_t columns, bool is_a) {
    Powers powers{.columns = std::max<int64_t>(columns, 1), .are_rows = is_a};
    if (data == Data::wide20) powers.each = 20;
    if (data == Data::wide40) powers.each = 40;
    if (data == Data::uneven) powers.line = 50;
    if (data == Data::tiny) powers.all = is_a ? -140 : 100;
    if (data == Data::huge) powers.all = is_a ? 125 : -100;
    return {seed, data, {}, powers};
}

}  // namespace

RandomMatrix random_a(uint64_t seed, Data data, int64_t columns) {
    return random_matrix(seed, data, columns, true);
}

RandomMatrix random_b(uint64_t seed, Data data, int64_t columns) {
    return random_matrix(seed, data, columns, false);
}

}  // namespace judge
