#include "watch/resources.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace judge {

std::optional<Resources> resources_in(const std::string& messages) {
    static const std::regex used("Used ([0-9]{1,9}) registers"), spilled("([0-9]{1,9}) bytes spill stores");
    Resources most;
    bool found = false;
    for (std::sregex_iterator at(messages.begin(), messages.end(), used), end; at != end; ++at) {
        most.registers = std::max(most.registers, std::stoi((*at)[1]));
        found = true;
    }
    for (std::sregex_iterator at(messages.begin(), messages.end(), spilled), end; at != end; ++at) {
        most.spill_bytes = std::max<uint64_t>(most.spill_bytes, std::stoull((*at)[1]));
    }
    return found ? std::optional(most) : std::nullopt;
}

std::string without_resources(const std::string& messages) {
    static const std::regex told("ptxas info +: .*|.* bytes stack frame, .* bytes spill loads");
    std::istringstream lines(messages);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        if (!std::regex_match(line, told)) kept += line + "\n";
    }
    return kept;
}

}  // namespace judge
