#include "parent/counters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/command.h"
#include "base/private_folder.h"
#include "base/whole_file.h"
#include "library/library_copy.h"
#include "parent/ncu_output.h"
#include "parent/supervisor.h"
#include "values/json.h"

namespace judge {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> usual_folders() {
    std::vector<fs::path> folders;
    const char* const path = std::getenv("PATH");
    std::istringstream stream(path ? path : "");
    for (std::string folder; std::getline(stream, folder, ':');) folders.emplace_back(folder);
#ifdef CUDA_HOME
    folders.emplace_back(CUDA_HOME "/bin");
#endif
    folders.emplace_back("/usr/local/cuda/bin");
    // "2025.3.0": the newest last in the order of names.
    std::vector<fs::path> versions;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/opt/nvidia/nsight-compute", none)) versions.push_back(entry);
    std::sort(versions.rbegin(), versions.rend());
    folders.insert(folders.end(), versions.begin(), versions.end());
    return folders;
}

// Of the lines by which ncu refuses names; what it counted by the others is lost then.
std::set<std::string> refused_metrics(const std::string& output) {
    std::set<std::string> refused;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("==ERROR==") == std::string::npos && line.find("==WARNING==") == std::string::npos) continue;
        for (const std::string& metric : counter_metrics()) {
            if (line.find(metric) != std::string::npos) refused.insert(metric);
        }
    }
    return refused;
}

}  // namespace

fs::path find_ncu() {
    return find_ncu(usual_folders());
}

fs::path find_ncu(const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders) {
        const fs::path ncu = folder / "ncu";
        std::error_code none;
        if (fs::is_regular_file(ncu, none) && access(ncu.c_str(), X_OK) == 0) return ncu;
    }
    return {};
}

CounterReader::CounterReader(fs::path ncu, std::function<void(const std::string&)> complain)
    : ncu_(std::move(ncu)), complain_(std::move(complain)) {}

void CounterReader::read(const Campaign& campaign, std::vector<Row>& rows, size_t first,
                         const std::function<void(const std::string&)>& begins) {
    if (campaign.candidate.target != Target::cuda || rows.size() - first != campaign.shapes.size()) return;
    for (size_t i = first; i < rows.size() && !ncu_.empty() && !interrupted(); ++i) {
        if (!is_right(rows[i].status)) continue;
        begins("reading counters at " + rows[i].shape);
        const std::string why = read_one(campaign, campaign.shapes[i - first], rows[i]);
        if (!why.empty() && !interrupted()) complain_("--counters: " + why);
    }
}

std::string CounterReader::read_one(const Campaign& campaign, const Shape& shape, Row& row) {
    const std::string where = fmt::format("{} at {}: ", row.plugin, row.shape);
    try {
        if (!row.sha256.empty() && LibraryCopy(campaign.candidate.path).sha256() != row.sha256) {
            return where + "its file has changed since it was judged";
        }
        Job job = job_of(campaign);
        job.kind = Job::Kind::call;
        job.shapes = {shape};
        std::string output = profile(job, campaign.timeout_s, {});
        auto counters = counters_of(output);
        if (const auto refused = refused_metrics(output); !counters && !refused.empty()) {
            output = profile(job, campaign.timeout_s, refused);
            counters = counters_of(output);
        }
        if (counters) {
            row.counters = *counters;
            return {};
        }
        const CountersRefused refusal = refusal_of(output);
        if (refusal.always) ncu_.clear();
        return (refusal.always ? "" : where) + refusal.why;
    } catch (const std::runtime_error& error) {
        return where + error.what();
    }
}

// All that ncu and the worker said.
std::string CounterReader::profile(const Job& job, double timeout_s, const std::set<std::string>& left_out) const {
    std::vector<std::string> metrics;
    std::copy_if(counter_metrics().begin(), counter_metrics().end(), std::back_inserter(metrics),
                 [&](const std::string& metric) { return left_out.count(metric) == 0; });
    const PrivateFolder folder;
    const fs::path said = folder.path() / "ncu", out = folder.path() / "stdout", err = folder.path() / "stderr";
    // Not a link such as /proc/self/exe: ncu would take that for itself.
    const std::string program = fs::read_symlink("/proc/self/exe");
    // Numbers as in the C locale; only the call between profile(true) and profile(false); the clock as it is.
    Command ncu({"env", "LC_ALL=C", ncu_, "--profile-from-start", "off", "--clock-control", "none", "--csv", "--page",
                 "raw", "--print-units", "base", "--log-file", said, "--metrics",
                 fmt::format("{}", fmt::join(metrics, ",")), program, "--worker", Json(job).dump()},
                err, out);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
    while (!ncu.has_ended() && !interrupted()) {
        if (std::chrono::steady_clock::now() > end) {
            throw std::runtime_error(fmt::format("ncu took more than {:g} s (--timeout allows more)", timeout_s));
        }
        usleep(10'000);
    }
    return whole_text(said) + "\n" + whole_text(out) + "\n" + whole_text(err);
}

}  // namespace judge
