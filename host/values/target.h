// What a plugin runs on.
#pragma once

#include <string>

#include "values/json_fwd.h"

namespace judge {

// `emulator` is GPU code built for the CPU; `gpus` takes matrices in host memory and multiplies them on all GPUs.
enum class Target { cuda, gpus, cpu, emulator };

// Whether a GPU is needed.
constexpr bool is_on_gpu(Target target) {
    return target == Target::cuda || target == Target::gpus;
}

std::string to_string(Target target);
Target parse_target(const std::string& text);  // throws std::invalid_argument

// By name. What names none throws std::invalid_argument.
void to_json(Json& json, Target target);
void from_json(const Json& json, Target& target);

}  // namespace judge
