// The JSON of the whole program, for headers that only name it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace judge {

using Json = nlohmann::ordered_json;  // an object keeps its keys in the order in which they were put in

}  // namespace judge
