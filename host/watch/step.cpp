#include "watch/step.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace judge {

std::optional<Step> step_of(const std::filesystem::path& source) {
    std::ifstream file(source);
    for (std::string line; std::getline(file, line) && line.starts_with("//");) {
        std::istringstream words(line.substr(2));
        std::string step, from, to;
        Step found;
        if (words >> step >> from >> found.from >> to >> found.to && step == "step:" && from == "from" && to == "to") {
            return found;
        }
    }
    return std::nullopt;
}

std::string progress_on(const Step& step, const std::vector<Row>& rows, const std::string& mine) {
    const auto speed_of = [&](const std::string& plugin) -> std::optional<double> {
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.plugin == plugin; });
        return row == rows.end() ? std::nullopt : row->ratio;
    };
    const auto now = speed_of(mine), goal = speed_of(step.to);
    if (!now || !goal) return fmt::format("the step from {} to {} could not be measured here", step.from, step.to);
    const std::string speeds =
        fmt::format("{:.2f} times the speed of {}, {} has {:.2f}", *now, step.from, step.to, *goal);
    if (*goal <= 1) return speeds;  // at this shape it is no step up
    // In time, not in speed: what a step is about is the time that it saves.
    const double won = (1 - 1 / *now) / (1 - 1 / *goal);
    return won < 0 ? fmt::format("slower than before the step: {}", speeds)
                   : fmt::format("{:.0f} % of the step is won: {}", 100 * won, speeds);
}

std::string not_told_by_emulator(const Step& step) {
    return fmt::format("how much of the step from {} to {} is won, only a GPU tells: emulated times say nothing of it",
                       step.from, step.to);
}

}  // namespace judge
