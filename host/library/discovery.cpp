#include "library/discovery.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/clean_text.h"
#include "base/usage_error.h"
#include "library/elf_file.h"
#include "library/library_file.h"

namespace judge {

namespace fs = std::filesystem;

namespace {

// What a file system lets a name and a path have.
constexpr size_t kLongestName = 255, kLongestPath = 4096;

std::string kind_of(fs::file_type type) {
    switch (type) {
        case fs::file_type::directory:
            return "a directory";
        case fs::file_type::fifo:
            return "a FIFO";
        case fs::file_type::socket:
            return "a socket";
        case fs::file_type::block:
        case fs::file_type::character:
            return "a device";
        case fs::file_type::not_found:
            return "a link to nothing";
        default:
            return "not a regular file";
    }
}

Candidate examine(const fs::path& path, bool named) {
    Candidate candidate;
    candidate.path = fs::absolute(path).lexically_normal();
    candidate.name = cleaned(path.stem().string(), kLongestName);
    candidate.named = named;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);  // follows links; a loop of links is an error
    if (!fs::is_regular_file(status)) {
        candidate.problem = error && status.type() != fs::file_type::not_found
                                ? error.message()
                                : fmt::format("{}, not a library", kind_of(status.type()));
        return candidate;
    }
    if (const uint64_t size = fs::file_size(path, error); !error && size > kLargestLibrary) {
        candidate.problem = fmt::format("{} MiB: a plugin may have {}", size >> 20, kLargestLibrary >> 20);
        return candidate;
    }
    ElfFile elf = read_elf(path);
    if (!elf.problem.empty()) {
        wait_until_settled(path);
        elf = read_elf(path);
    }
    candidate.problem = elf.problem;
    if (is_source(path) && !elf.problem.empty()) {
        candidate.source = candidate.path;
        candidate.problem = fmt::format("source code, not a library: `make plugin FILE={}` builds it", path.string());
    }
    candidate.images = elf.images;
    candidate.gemm = elf.solve;
    candidate.chain = elf.solve_chain;
    candidate.full_gemm = elf.solve_gemm;
    candidate.baseline = elf.baseline;
    candidate.needs_blas = elf.needs_blas;
    candidate.target = elf.emulated      ? Target::emulator
                       : !elf.gpu_code   ? Target::cpu
                       : elf.host_memory ? Target::gpus
                                         : Target::cuda;
    return candidate;
}

bool looks_like_a_plugin(const fs::path& path) {
    return path.extension() == ".so" && !path.filename().string().starts_with('.');
}

void search(const fs::path& directory, int levels_below, std::vector<fs::path>& found) {
    constexpr size_t kMost = 1000;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
        const fs::path& path = entry.path();
        if (looks_like_a_plugin(path)) {
            if (found.size() == kMost) {
                throw UsageError(
                    fmt::format("more than {} libraries, up to {}: give a directory of fewer", kMost, path.string()));
            }
            found.push_back(path);
        } else if (levels_below > 0 && entry.is_directory(error) && !path.filename().string().starts_with('.')) {
            search(path, levels_below - 1, found);
        }
    }
}

}  // namespace

bool is_source(const fs::path& path) {
    return path.extension() == ".cu" || path.extension() == ".cpp";
}

std::vector<Candidate> discover(const std::vector<fs::path>& paths) {
    std::vector<Candidate> candidates;
    for (const fs::path& path : paths) {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            candidates.push_back(examine(path, true));
            continue;
        }
        std::vector<fs::path> found;
        search(path, 1, found);
        for (const fs::path& file : found) candidates.push_back(examine(file, false));
    }
    // Of a file found twice, the one that was named stays.
    const auto order = [](const Candidate& c) { return std::tuple(c.name, !c.named, c.path); };
    std::sort(candidates.begin(), candidates.end(),
              [&](const Candidate& a, const Candidate& b) { return order(a) < order(b); });

    std::set<std::pair<dev_t, ino_t>> seen;  // the same file twice: by a link, or by two of the paths
    std::erase_if(candidates, [&](const Candidate& candidate) {
        struct stat status {};
        return stat(candidate.path.c_str(), &status) == 0 && !seen.insert({status.st_dev, status.st_ino}).second;
    });
    tell_apart(candidates);
    return candidates;
}

const fs::path& known_as(const Candidate& candidate) {
    return candidate.source.empty() ? candidate.path : candidate.source;
}

void tell_apart(std::vector<Candidate>& candidates) {
    const auto rename_equals = [&](auto longer_name) {
        std::map<std::pair<Target, std::string>, int> count;
        for (const Candidate& c : candidates) ++count[{c.target, c.name}];
        for (Candidate& c : candidates) {
            if (count[{c.target, c.name}] > 1) c.name = longer_name(known_as(c));
        }
    };
    rename_equals([](const fs::path& path) {
        return cleaned((path.parent_path().filename() / path.stem()).string(), 2 * kLongestName);
    });
    rename_equals([](const fs::path& path) { return cleaned(path.string(), kLongestPath); });
}

}  // namespace judge
