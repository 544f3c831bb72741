#include "values/target.h"

#include <fmt/format.h>

#include <stdexcept>

#include "values/json.h"

namespace judge {

std::string to_string(Target target) {
    return target == Target::cuda ? "cuda" : target == Target::cpu ? "cpu" : "emulator";
}

Target parse_target(const std::string& text) {
    for (const Target target : {Target::cuda, Target::cpu, Target::emulator}) {
        if (text == to_string(target)) return target;
    }
    throw std::invalid_argument(fmt::format("'{}' is not a device: cuda, cpu or emulator", text));
}

void to_json(Json& json, Target target) {
    json = to_string(target);
}

void from_json(const Json& json, Target& target) {
    target = parse_target(json.get<std::string>());
}

}  // namespace judge
