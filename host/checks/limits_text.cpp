#include "checks/limits_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "checks/general_trials.h"
#include "checks/limits.h"
#include "values/json.h"

namespace judge {

namespace {

// "crashed (SIGSEGV)", "wrong", "leaves C unwritten".
std::string failure(const Trial& trial) {
    switch (trial.status) {
        case Status::crashed: {
            const size_t at = trial.message.find("SIG");
            const std::string cause =
                at == std::string::npos ? trial.message : trial.message.substr(at, trial.message.find(' ', at) - at);
            return cause.empty() ? "crashed" : fmt::format("crashed ({})", cause);
        }
        case Status::timed_out:
            return "no answer";
        case Status::not_written:
            return "leaves C unwritten";
        case Status::out_of_bounds:
            return "touches memory outside its matrices";
        case Status::input_modified:
            return "changes its inputs";
        default:
            return to_string(trial.status);
    }
}

std::string told(const Trial& trial) {
    if (trial.kind == Trial::Kind::precision) return failure(trial) + " while its precision was measured";
    if (trial.kind == Trial::Kind::promises) return failure(trial) + " while NaN, page ends and two threads were tried";
    const std::string at = to_string(trial.shape);
    // Of a C that is right: the plugin's own error, where there is none.
    if (trial.status == Status::suspicious) return fmt::format("an error at {}: {}", at, trial.message);
    return fmt::format("{} at {}", failure(trial), at);
}

// A source is built for the GPU, where there is one, unless it is asked for otherwise.
std::string command(const Trial& trial, Target device, const std::string& path) {
    const std::filesystem::path file = path;
    const bool built = file.extension() != ".so" && device == Target::emulator;
    const std::string operation = trial.shape.is_chain() ? " --op chain" : "";
    const std::string misalign = trial.misalignment == 0 ? "" : fmt::format(" --misalign {}", trial.misalignment);
    const std::string from_here = file.lexically_proximate(std::filesystem::current_path());
    return fmt::format("build/compare {}{}{} --shape {}{} --check-only", from_here.starts_with("..") ? path : from_here,
                       built ? " --device emulator" : "", operation, to_string(trial.shape), misalign);
}

// "M, K are multiples of 64 and N of 8"; empty if each may be anything.
std::string multiples(const std::vector<std::pair<const char*, int>>& sizes) {
    std::map<int, std::vector<const char*>, std::greater<>> names;
    for (const auto& [name, multiple] : sizes) {
        if (multiple > 1) names[multiple].push_back(name);
    }
    std::string text;
    for (const auto& [multiple, of] : names) {
        const char* const are = !text.empty() ? "" : of.size() == 1 ? " is a multiple" : " are multiples";
        text += fmt::format("{}{}{} of {}", text.empty() ? "" : " and ", fmt::join(of, ", "), are, multiple);
    }
    return text;
}

std::string where_right(const Limits& limits) {
    using Equal = Limits::Equal;
    const auto equal = [](const char* sizes, int of, const std::string& others) {
        const std::string multiple = of > 1 ? fmt::format(", a multiple of {}", of) : "";
        return fmt::format("{}{}{}{}", sizes, multiple, others.empty() ? "" : ", and ", others);
    };
    std::string text;
    switch (limits.equal) {
        case Equal::none:
            text = multiples({{"M", limits.M}, {"N", limits.N}, {"K", limits.K}});
            break;
        case Equal::MN:
            text = equal("M = N", limits.M, multiples({{"K", limits.K}}));
            break;
        case Equal::NK:
            text = equal("N = K", limits.N, multiples({{"M", limits.M}}));
            break;
        case Equal::MK:
            text = equal("M = K", limits.M, multiples({{"N", limits.N}}));
            break;
        case Equal::MNK:
            text = equal("M = N = K", limits.M, "");
            break;
    }
    return text.empty() ? text : "right where " + text;
}

// What the trials that failed have in common, where that is known.
std::vector<std::string> conditions(const Limits& limits) {
    std::vector<std::string> parts;
    if (limits.exchanged) parts.push_back(kTakesContractionLast);
    if (limits.located) parts.push_back(where_right(limits));
    if (limits.alignment > 4) parts.push_back(fmt::format("needs {}-byte aligned pointers", limits.alignment));
    for (const Dimension dimension : kDimensions) {
        const auto& [right, wrong] = limits.most[dimension];
        if (wrong > 0) parts.push_back(fmt::format("right up to {} = {}, not at {}", "MNK"[dimension], right, wrong));
    }
    if (limits.of_no_terms != nullptr) parts.push_back(failure(*limits.of_no_terms) + " where N = 0");
    std::erase(parts, "");
    return parts;
}

const Trial* find_made(const std::vector<Trial>& trials, const Trial& wanted) {
    const auto made =
        std::find_if(trials.begin(), trials.end(), [&](const Trial& t) { return t.is_same_call(wanted); });
    return made == trials.end() ? nullptr : &*made;
}

// How many rows or columns are too many, as far as is known, where one of noted_trials() failed.
struct Many {
    int right;                  // up to so many
    const Trial* least;         // the one with the fewest that failed
    std::optional<Trial> next;  // to be made, to know more
};

// By bisection. With 2^16 + 1 it is right, or it would have limits.
Many search_among_many(const std::vector<Trial>& trials, const Trial& failed) {
    int low = kLeastExponent - 1, high = kMostExponent + 1;
    Many found{0, &failed, std::nullopt};
    while (high - low > 1 && !found.next) {
        const int middle = (low + high) / 2;
        const Trial trial = shorter(failed, middle);
        if (const Trial* const made = find_made(trials, trial); !made) {
            found.next = trial;
        } else if (made->right()) {
            low = middle;
        } else {
            high = middle, found.least = made;
        }
    }
    found.right = (1 << low) + 1;
    return found;
}

}  // namespace

std::string describe(const std::vector<Trial>& trials, Target device, const std::string& path) {
    const Trial* const first = failed_trial(trials, device);
    if (first == nullptr) return {};
    const std::string repeat = "to repeat it: " + command(*first, device, path);
    if (first->shape.is_chain()) return fmt::format("{}; {}", told(*first), repeat);
    const Limits limits = limits_of(trials, device);
    std::vector<std::string> parts = conditions(limits);
    std::vector<const Trial*> failures = limits.unexplained;
    const bool by_sizes = first->misalignment == 0 && first->shape.N != 0;
    if (!limits.located || by_sizes || parts.empty()) failures.insert(failures.begin(), first);
    for (size_t i = 0; i < failures.size(); ++i) {
        if (i == 0 || !failures[i]->is_same_call(*first)) parts.push_back(told(*failures[i]));
    }
    if (first->kind == Trial::Kind::product) parts.push_back(repeat);
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string describe_dependence(const std::vector<Trial>& trials, Target device) {
    const Limits limits = limits_of(trials, device);
    if (limits.state == nullptr) return {};
    return fmt::format(
        "right at this shape, then {}, and right there in a process of its own: a call depends on those before it, or "
        "on "
        "memory that is not its own",
        told(*limits.state));
}

std::optional<Trial> next_noted_trial(const std::vector<Trial>& trials, Target device) {
    for (const Trial& noted : noted_trials(device)) {
        const Trial* const made = find_made(trials, noted);
        if (noted.kind != Trial::Kind::product || !made || made->right()) continue;
        if (const auto next = search_among_many(trials, *made).next) return next;
    }
    return std::nullopt;
}

std::string describe_noted(const std::vector<Trial>& trials, Target device) {
    std::vector<std::string> parts;
    for (const Trial& noted : noted_trials(device)) {
        const Trial* const made = find_made(trials, noted);
        if (!made || made->right()) continue;
        if (noted.kind != Trial::Kind::product) {
            const bool known = made->status == Status::wrong;
            parts.push_back(fmt::format("{} is an error, of which nothing is written (abi/solve.h), and it {}",
                                        noted.kind == Trial::Kind::negative
                                            ? "a negative size"
                                            : "a null pointer to a matrix that has elements",
                                        known ? made->message : failure(*made)));
        } else {
            const auto [right, least, next] = search_among_many(trials, *made);
            const char* const lines = noted.shape.M > 1 ? "rows" : "columns";
            parts.push_back(right < 1'000'000
                                ? fmt::format("right up to {} {} at least: {}", right, lines, told(*least))
                                : fmt::format("right but for millions of {}: {}", lines, told(*least)));
        }
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<Trial> mistake_trials() {
    // No two sizes are equal, and each is a multiple of the tiles of most kernels.
    std::vector<Trial> trials(3, product_at({256, 128, 384}));
    trials[0].kind = Trial::Kind::exchanged;
    trials[1].kind = Trial::Kind::layouts;
    return trials;
}

std::string explain_failure(const std::vector<Trial>& trials, Target device) {
    const auto right = [&](const Trial& trial) {
        const auto is_right = [&](const Trial& made) { return made.is_same_call(trial) && made.right(); };
        const auto found = std::find_if(trials.begin(), trials.end(), is_right);
        return found == trials.end() ? nullptr : &*found;
    };
    const std::vector<Trial> mistakes = mistake_trials();
    if (right(mistakes[0]) != nullptr) return kTakesContractionLast;
    if (const Trial* const layouts = right(mistakes[1])) return layouts->message;
    if (failed_trial(trials, device) != nullptr) {
        return fmt::format("{}", fmt::join(conditions(limits_of(trials, device)), "; "));
    }
    if (right(mistakes[2]) == nullptr) return {};
    return fmt::format("right at {}: does it need such multiples?", to_string(mistakes[2].shape));
}

}  // namespace judge
