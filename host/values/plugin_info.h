// What a plugin says of itself in its solve_info, or what the file itself tells: what --list shows.
#pragma once

#include <string>
#include <vector>

#include "values/json_fwd.h"

namespace judge {

// `problem` says why it does not load; then the rest is empty.
struct PluginInfo {
    std::string problem;
    std::string name;
    std::string summary;
    std::string source;
    std::string arithmetic;              // FP32, TF32, ...
    int minimum_compute_capability = 0;  // 75 is sm_75; 0 needs no GPU
    std::vector<std::string> entries;    // solve_enqueue, ...
};

// As that of a Row.
void clean(PluginInfo& info);

void to_json(Json& json, const PluginInfo& info);
void from_json(const Json& json, PluginInfo& info);

}  // namespace judge
