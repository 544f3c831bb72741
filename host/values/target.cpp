#include "values/target.h"

#include <fmt/format.h>

#include <stdexcept>

#include "values/json.h"

namespace judge {

std::string to_string(Target target) {
    switch (target) {
        case Target::cuda:
            return "cuda";
        case Target::gpus:
            return "gpus";
        case Target::cpu:
            return "cpu";
        default:
            return "emulator";
    }
}

Target parse_target(const std::string& text) {
    for (const Target target : {Target::cuda, Target::gpus, Target::cpu, Target::emulator}) {
        if (text == to_string(target)) return target;
    }
    throw std::invalid_argument(fmt::format("'{}' is not a device: cuda, gpus, cpu or emulator", text));
}

void to_json(Json& json, Target target) {
    json = to_string(target);
}

void from_json(const Json& json, Target& target) {
    target = parse_target(json.get<std::string>());
}

}  // namespace judge
