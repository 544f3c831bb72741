#include "source/build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/command.h"

namespace judge {

namespace fs = std::filesystem;

namespace {

// As the value of a variable on make's command line, where $ begins a reference.
std::string for_make(const std::string& value) {
    return std::regex_replace(value, std::regex("\\$"), "$$$$");
}

std::vector<std::string> make_plugin(const fs::path& source, const SourceTree& tree, const BuildWishes& wishes,
                                     const fs::path& into) {
    const auto text_of = [](const char* variable) {
        const char* const text = std::getenv(variable);
        return std::string(text ? text : "");
    };
    // From root/build that is build, as the user's own make calls it: its path may hold what make cannot read.
    const fs::path build = tree.build.lexically_relative(tree.root);
    const bool inside = !build.empty() && *build.begin() != "..";
    std::vector<std::string> words = {
        "env",
        "MAKEFLAGS=" + without_jobs(text_of("MAKEFLAGS")),
        "CXX=" + (text_of("CXX").empty() ? tree.compiler : text_of("CXX")),
        "make",
        "--no-print-directory",
        "-C",
        tree.root.string(),
        "plugin",
        "BUILD=" + (inside ? build : tree.build).string(),
        "FILE=" + for_make(fs::absolute(source).lexically_normal().string()),
        "INTO=" + into.string(),
    };
    if (!wishes.device.empty()) words.push_back("DEVICE=" + wishes.device);
    if (wishes.resources) words.push_back("RESOURCES=1");
    if (wishes.at_once) words.push_back("AT_ONCE=1");
    if (wishes.architecture > 0) words.push_back(fmt::format("CUDA_ARCHS={}", wishes.architecture));
    if (!tree.has_cuda) words.push_back("NVCC=");
    return words;
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::ifstream stream(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// "make: *** [Makefile:230: plugin] Error 1", "Makefile:230: *** nothing was built.  Stop."
bool is_of_make(const std::string& line) {
    return line.find(": *** ") != std::string::npos;
}

std::string first_error(const std::vector<std::string>& lines) {
    static const std::regex error(": (fatal )?error|undefined reference|exports no `solve`|cannot be emulated");
    const auto is_error = [](const std::string& line) { return std::regex_search(line, error); };
    const auto found = std::find_if(lines.begin(), lines.end(), is_error);
    if (found == lines.end()) return lines.empty() ? "make plugin failed and said nothing" : lines.front();
    return found->ends_with(':') && found + 1 != lines.end() ? *found + *(found + 1) : *found;
}

fs::path library_in(const fs::path& folder) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".so") return entry.path();
    }
    return {};
}

// Of a library that has just been written a reader waits until it has settled, 0.3 s (wait_until_settled): whoever
// writes it may not be done. Here make has ended.
void mark_as_settled(const fs::path& library) {
    std::error_code error;
    fs::last_write_time(library, fs::file_time_type::clock::now() - std::chrono::seconds(1), error);
}

// By the steps that make has told: "  nvcc     /tmp/x/0/my.so".
Target target_of(const fs::path& source, const std::vector<std::string>& steps) {
    if (source.extension() == ".cpp") return Target::cpu;
    const auto is_nvcc = [](const std::string& line) { return line.starts_with("  nvcc "); };
    return std::any_of(steps.begin(), steps.end(), is_nvcc) ? Target::cuda : Target::emulator;
}

Built result_of(const Command& make, const fs::path& source, const fs::path& folder) {
    Built built;
    built.target = target_of(source, lines_of(folder / "stdout"));
    std::vector<std::string> lines = lines_of(folder / "stderr");
    if (std::any_of(lines.begin(), lines.end(), std::not_fn(is_of_make))) std::erase_if(lines, is_of_make);
    for (const std::string& line : lines) built.messages += line + "\n";
    if (make.status() == 0) built.library = library_in(folder);
    if (built.library.empty()) built.problem = "not built: " + first_error(lines);
    if (!built.library.empty()) mark_as_settled(built.library);
    return built;
}

struct Job {
    size_t index;
    fs::path folder;
    std::unique_ptr<Command> make;
};

}  // namespace

std::string without_jobs(const std::string& makeflags) {
    std::istringstream stream(makeflags);
    std::string kept;
    for (std::string word; stream >> word && word != "--";) {
        if (!word.starts_with("-j") && !word.starts_with("--jobserver")) kept += (kept.empty() ? "" : " ") + word;
    }
    const size_t variables = makeflags.find("-- ");
    return variables == std::string::npos ? kept : kept + (kept.empty() ? "" : " ") + makeflags.substr(variables);
}

std::vector<Built> build_sources(const std::vector<fs::path>& sources, const SourceTree& tree,
                                 const BuildWishes& wishes, const fs::path& folder,
                                 const std::function<bool()>& cancelled) {
    std::vector<Built> results(sources.size());
    if (!tree.problem.empty()) {
        for (Built& result : results) result.problem = "not built: " + tree.problem;
        return results;
    }
    // The first .cu file builds the emulator, if that is not there yet: it goes ahead, or two would do so at a time.
    std::vector<size_t> order(sources.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_partition(order.begin(), order.end(), [&](size_t i) { return sources[i].extension() == ".cu"; });
    bool tools_are_built = order.empty() || sources[order[0]].extension() != ".cu";
    std::deque<Job> jobs;
    size_t next = 0;
    while ((next < order.size() || !jobs.empty()) && !cancelled()) {
        const size_t most = tools_are_built ? std::max(1u, std::thread::hardware_concurrency()) : 1;
        while (next < order.size() && jobs.size() < most) {
            const size_t index = order[next++];
            const fs::path into = folder / std::to_string(index);
            fs::create_directories(into);
            jobs.push_back({index, into,
                            std::make_unique<Command>(make_plugin(sources[index], tree, wishes, into), into / "stderr",
                                                      into / "stdout")});
        }
        std::erase_if(jobs, [&](const Job& job) {
            if (!job.make->has_ended()) return false;
            results[job.index] = result_of(*job.make, sources[job.index], job.folder);
            tools_are_built = true;
            return true;
        });
        usleep(5000);
    }
    for (Built& result : results) {
        if (result.library.empty() && result.problem.empty()) result.problem = "not built: interrupted";
    }
    return results;
}

}  // namespace judge
