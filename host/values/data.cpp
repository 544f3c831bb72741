#include "values/data.h"

#include <algorithm>
#include <stdexcept>

namespace judge {

std::vector<std::string> data_names() {
    return {"uniform", "normal", "positive", "wide", "integers"};  // in the order of enum Data
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

}  // namespace judge
