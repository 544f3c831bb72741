#include "parent/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <regex>

#include "base/clean_text.h"
#include "base/counted.h"
#include "base/output.h"
#include "base/usage_error.h"
#include "parent/exit_code.h"
#include "parent/plugin_folders.h"
#include "parent/probe_gpu.h"
#include "parent/progress.h"
#include "parent/supervisor.h"
#include "source/build.h"

namespace judge {

namespace fs = std::filesystem;

namespace {

bool does(const Candidate& candidate, Operation operation) {
    switch (operation) {
        case Operation::chain:
            return candidate.chain;
        case Operation::full_gemm:
            return candidate.full_gemm;
        default:
            return candidate.gemm;
    }
}

// The first one that carries the mark and is linked with a BLAS library, else the first with the mark: anybody can copy
// it. What else carries it is said.
fs::path choose_baseline(const std::vector<Candidate>& candidates, Target target, Operation operation,
                         std::vector<std::string>& notes) {
    std::vector<Candidate> marked;
    for (const Candidate& candidate : candidates) {
        const auto same = [&](const Candidate& c) { return c.path == candidate.path; };
        if (candidate.baseline && candidate.target == target && candidate.problem.empty() &&
            does(candidate, operation) && std::none_of(marked.begin(), marked.end(), same)) {
            marked.push_back(candidate);
        }
    }
    if (marked.empty()) return {};
    std::stable_partition(marked.begin(), marked.end(), [](const Candidate& c) { return c.needs_blas; });
    for (size_t i = 1; i < marked.size(); ++i) {
        notes.push_back(fmt::format("{} carries the mark of a baseline, too: raced against is {}",
                                    marked[i].path.string(), marked[0].path.string()));
    }
    return marked[0].path;
}

std::string join(const std::vector<fs::path>& paths) {
    std::string text;
    for (const fs::path& path : paths) text += (text.empty() ? "" : ", ") + path.string();
    return text;
}

template <class Predicate>
size_t leave_out(std::vector<Candidate>& candidates, Predicate unwanted) {
    // What is broken, and what was named, is never silently left out.
    return std::erase_if(candidates, [&](const Candidate& c) { return !c.named && c.problem.empty() && unwanted(c); });
}

// Applies --op: a plugin exports solve, or solve_chain, or both.
void keep_operation(Selection& selection, Operation operation) {
    leave_out(selection.candidates, [&](const Candidate& c) { return !does(c, operation); });
    for (Candidate& candidate : selection.candidates) {
        if (does(candidate, operation) || !candidate.problem.empty()) continue;
        candidate.unsupported = operation == Operation::chain       ? "exports no solve_chain"
                                : operation == Operation::full_gemm ? "exports no solve_gemm"
                                                                    : "exports solve_chain, not solve: judge it with "
                                                                      "--op chain";
    }
}

// Applies --device to what was found in directories.
void keep_device(Selection& selection, const Options& options) {
    std::vector<Candidate>& candidates = selection.candidates;
    if (options.device) {
        leave_out(candidates, [&](const Candidate& c) { return c.target != *options.device; });
        for (Candidate& candidate : candidates) {
            if (candidate.target == *options.device || !candidate.problem.empty()) continue;
            candidate.unsupported =
                fmt::format("built for --device {}, not {}", to_string(candidate.target), to_string(*options.device));
        }
        return;
    }
    const bool has_gpu = selection.gpu && selection.gpu->problem.empty();
    const auto on_cuda = [](const Candidate& c) { return c.target == Target::cuda; };
    const auto on_gpu = [](const Candidate& c) { return is_on_gpu(c.target); };
    if (has_gpu && std::any_of(candidates.begin(), candidates.end(), on_gpu)) {
        const bool single = std::any_of(candidates.begin(), candidates.end(), on_cuda);
        leave_out(candidates, [&](const Candidate& c) { return single ? !on_cuda(c) : !on_gpu(c); });
    } else if (const size_t count = leave_out(candidates, on_gpu); count > 0) {
        selection.notes.push_back(
            fmt::format("{} left out: {}", counted(count, "CUDA plugin"), selection.gpu->problem));
    }
}

// A plugin without code for this GPU is refused here: no worker has to be started to find that out.
void refuse_without_image(Selection& selection) {
    if (!selection.gpu || !selection.gpu->problem.empty()) return;
    for (Candidate& candidate : selection.candidates) {
        const bool runs_here = candidate.problem.empty() && candidate.unsupported.empty();
        if (!runs_here || !is_on_gpu(candidate.target)) continue;
        candidate.unsupported = missing_image(candidate.images, selection.gpu->compute_capability);
    }
}

// Each source becomes the library that is built from it, under the source's name; one that does not compile keeps its
// place, with the compiler's first error.
void build(Selection& selection, const Options& options) {
    std::vector<size_t> places;
    std::vector<fs::path> sources;
    for (size_t i = 0; i < selection.candidates.size(); ++i) {
        const fs::path& source = selection.candidates[i].source;
        if (source.empty()) continue;
        places.push_back(i);
        sources.push_back(source);
    }
    if (sources.empty()) return;
    selection.built = std::make_shared<PrivateFolder>();
    const SourceTree tree = source_tree(fs::canonical("/proc/self/exe"));
    const bool for_cpu = options.device == Target::cpu;  // then a .cu file is built for what there is, and unsupported
    const BuildWishes wishes{.device = options.device && !for_cpu ? to_string(*options.device) : ""};
    std::vector<Built> results;
    {
        const Progress progress;
        progress.show(sources.size() == 1 ? "building " + sources[0].string()
                                          : fmt::format("building {} files", sources.size()));
        results = build_sources(sources, tree, wishes, selection.built->path(), interrupted);
    }
    for (size_t i = 0; i < places.size(); ++i) {
        Candidate& candidate = selection.candidates[places[i]];
        print_messages(results[i].messages);
        candidate.problem = results[i].problem;
        candidate.target = results[i].target;
        if (results[i].library.empty()) continue;
        Candidate library = discover({results[i].library}).front();
        library.name = candidate.name;
        library.source = candidate.source;
        candidate = std::move(library);
    }
    tell_apart(selection.candidates);
}

}  // namespace

Selection select_plugins(const Options& options) {
    Selection selection;
    const char* const more = std::getenv("SGEMM_LADDER_PATH");
    const PluginFolders own = plugin_folders(fs::canonical("/proc/self/exe"), more ? more : "");
    selection.notes = own.notes;
    const auto paths = options.paths.empty() ? own.folders : options.paths;
    std::vector<Candidate> known = discover(own.folders);
    selection.candidates = options.paths.empty() ? known : discover(paths);

    known.insert(known.end(), selection.candidates.begin(), selection.candidates.end());
    for (const Target target : {Target::cuda, Target::gpus, Target::cpu}) {
        selection.baseline_for(target) = choose_baseline(known, target, options.operation, selection.notes);
    }

    if (!options.baseline.empty()) {
        const Candidate chosen = discover({options.baseline}).front();
        if (!chosen.problem.empty()) throw UsageError("--baseline: " + chosen.problem);
        if (chosen.target == Target::emulator) {
            throw UsageError("--baseline: an emulated library's time says nothing: give one for the GPU or the CPU");
        }
        if (!does(chosen, options.operation)) {
            throw UsageError(fmt::format("--baseline: {} exports nothing for this --op", chosen.path.string()));
        }
        selection.baseline_for(chosen.target) = chosen.path;
    }

    if (!options.filter.empty()) {
        const std::regex filter(options.filter);
        std::erase_if(selection.candidates, [&](const Candidate& c) { return !std::regex_search(c.name, filter); });
    }
    build(selection, options);
    if (!options.list) keep_operation(selection, options.operation);
    const bool asks_for_gpu = options.device && is_on_gpu(*options.device);
    const bool may_use_gpu = options.device ? asks_for_gpu
                                            : std::any_of(selection.candidates.begin(), selection.candidates.end(),
                                                          [](const Candidate& c) { return is_on_gpu(c.target); });
    // --list loads plugins and asks no device for anything: --device cuda lists them on any machine.
    const bool only_lists = options.list && asks_for_gpu;
    if (may_use_gpu && !only_lists) selection.gpu = probe_gpu(options.timeout_s);
    keep_device(selection, options);
    refuse_without_image(selection);

    if (asks_for_gpu && !only_lists && !selection.gpu->problem.empty()) {
        selection.failure = fmt::format("--device {}: {}. Without a GPU: --device emulator", to_string(*options.device),
                                        selection.gpu->problem);
        selection.failure_code = kNoDevice;
    } else if (selection.candidates.empty()) {
        const char* const next_step =
            !options.filter.empty() ? "`compare --list` names what there is"
            : options.paths.empty()
                ? "`make plugins` builds those that come with this program"
                : "give .cu, .cpp or .so files, or a directory of .so files; `make plugin FILE=path/x.cu` builds one";
        selection.failure =
            fmt::format("no plugin{}{} in {}: {}", options.device ? " for --device " + to_string(*options.device) : "",
                        options.filter.empty() ? "" : " whose name has a match for '" + options.filter + "'",
                        paths.empty() ? "plugins/ beside this program" : join(paths), next_step);
        selection.failure_code = kNothingMatched;
    }
    return selection;
}

std::vector<std::string> gpus_to_lock(const Selection& selection) {
    if (!selection.gpu || !selection.gpu->problem.empty()) return {};
    const bool all = std::any_of(selection.candidates.begin(), selection.candidates.end(),
                                 [](const Candidate& c) { return c.target == Target::gpus; });
    if (!all) return {selection.gpu->uuid};
    std::vector<std::string> uuids = selection.gpu->uuids;
    std::sort(uuids.begin(), uuids.end());
    return uuids;
}

std::vector<Shape> shapes_for(const Options& options, Target target) {
    if (!options.shapes.empty()) return options.shapes;
    if (options.operation == Operation::chain) {
        if (target == Target::cuda) return {{512, 512, 512, 512}, {1024, 1024, 1024, 1024}, {1000, 300, 777, 64}};
        return {{128, 128, 128, 128}, {131, 67, 257, 93}};
    }
    if (target == Target::cuda) {
        return {{1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 6144, 4096}};
    }
    if (target == Target::gpus) return {{4096, 4096, 4096}, {8192, 8192, 8192}, {16384, 10000, 12289}};
    return {{256, 256, 256}, {512, 512, 512}, {257, 129, 383}};  // the last one: no size a multiple of anything
}

std::vector<Shape> untimed_shapes_for(const Options& options, Target target) {
    const std::vector<Shape> timed = shapes_for(options, target);
    std::vector<Shape> untimed = options.check_shapes;
    std::erase_if(untimed, [&](const Shape& shape) { return std::ranges::find(timed, shape) != timed.end(); });
    return untimed;
}

std::vector<Products> products_for(const Options& options, Target target) {
    if (!options.products.empty()) return options.products;
    std::vector<Shape> shapes = untimed_shapes_for(options, target);
    const std::vector<Shape> timed = shapes_for(options, target);
    shapes.insert(shapes.end(), timed.begin(), timed.end());
    return {{options.form, shapes}};
}

}  // namespace judge
