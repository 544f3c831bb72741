#include "parent/measurements.h"

#include <fmt/format.h>

#include <algorithm>

namespace judge {

namespace {

bool any_on(const Selection& selection, Target target) {
    return std::any_of(selection.candidates.begin(), selection.candidates.end(),
                       [&](const Candidate& candidate) { return candidate.target == target; });
}

std::string why_no_counters(const Selection& selection, const std::filesystem::path& ncu) {
    if (!any_on(selection, Target::cuda)) {
        const bool none = selection.gpu && !selection.gpu->problem.empty();
        return fmt::format("only a GPU has hardware counters, and no plugin of this run is for one{}",
                           none ? ": " + selection.gpu->problem : "");
    }
    if (!ncu.empty()) return {};
    return "ncu is in no folder of PATH: install Nsight Compute, apt-get install cuda-nsight-compute-13-0 from "
           "NVIDIA's "
           "repository (your CUDA's number), or nsight-compute from Debian's";
}

}  // namespace

std::vector<std::string> not_measured(const Options& options, const Selection& selection,
                                      const std::filesystem::path& ncu) {
    std::vector<std::string> lines;
    if (options.host_to_host && (any_on(selection, Target::cpu) || any_on(selection, Target::gpus))) {
        lines.push_back(
            "--host-to-host: plugins for the CPU, and for all GPUs, take the host's memory: their time from host to "
            "host is the hot one");
    }
    if (options.host_to_host && any_on(selection, Target::emulator)) {
        lines.push_back("--host-to-host: the times of emulated rows are the CPU's, and say nothing of a GPU");
    }
    if (options.counters) {
        if (const std::string why = why_no_counters(selection, ncu); !why.empty())
            lines.push_back("--counters: " + why);
    }
    return lines;
}

}  // namespace judge
