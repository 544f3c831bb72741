// The JSON of the whole program: an object keeps its keys in the order in which they were put in.
#pragma once

#include <nlohmann/json.hpp>

namespace judge {

using Json = nlohmann::ordered_json;

}  // namespace judge
