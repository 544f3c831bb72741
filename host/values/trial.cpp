#include "values/trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "values/json.h"

namespace judge {

NLOHMANN_JSON_SERIALIZE_ENUM(Trial::Kind, {{Trial::Kind::product, "product"},
                                           {Trial::Kind::exchanged, "exchanged"},
                                           {Trial::Kind::layouts, "layouts"},
                                           {Trial::Kind::precision, "precision"},
                                           {Trial::Kind::promises, "promises"},
                                           {Trial::Kind::negative, "negative"},
                                           {Trial::Kind::null_pointers, "null-pointers"}})

void learn(std::vector<Trial>& trials, const Trial& trial) {
    const auto same = std::find_if(trials.begin(), trials.end(), [&](const Trial& other) {
        return other.is_same_call(trial) && other.alone == trial.alone;
    });
    if (same == trials.end()) {
        trials.push_back(trial);
    } else {
        *same = trial;
    }
}

std::string to_string(const Trial& trial) {
    const std::string shape = to_string(trial.shape);
    switch (trial.kind) {
        case Trial::Kind::product:
            break;
        case Trial::Kind::exchanged:
            return fmt::format("trying {} with N and K exchanged", shape);
        case Trial::Kind::layouts:
            return fmt::format("trying {} for another product", shape);
        case Trial::Kind::precision:
            return "measuring the precision";
        case Trial::Kind::promises:
            return "checking what abi/solve.h promises";
        case Trial::Kind::negative:
            return "trying negative sizes";
        case Trial::Kind::null_pointers:
            return "trying null pointers";
    }
    return fmt::format("trying {}{}", shape,
                       trial.misalignment == 0
                           ? ""
                           : fmt::format(", its matrices {} bytes past an aligned address", 4 * trial.misalignment));
}

void to_json(Json& json, const Trial& trial) {
    json["kind"] = trial.kind;
    json["shape"] = to_string(trial.shape);
    json["misalignment"] = trial.misalignment;
    json["drawn"] = trial.drawn;
    json["alone"] = trial.alone;
    json["status"] = trial.status;
    json["message"] = trial.message;
    json["seconds"] = trial.seconds;
}

void from_json(const Json& json, Trial& trial) {
    json.at("kind").get_to(trial.kind);
    const std::string shape = json.at("shape");
    const bool chain = std::count(shape.begin(), shape.end(), 'x') == 3;
    trial.shape = parse_shape(shape, chain ? Operation::chain : Operation::gemm);
    json.at("misalignment").get_to(trial.misalignment);
    json.at("drawn").get_to(trial.drawn);
    json.at("alone").get_to(trial.alone);
    json.at("status").get_to(trial.status);
    json.at("message").get_to(trial.message);
    json.at("seconds").get_to(trial.seconds);
}

}  // namespace judge
