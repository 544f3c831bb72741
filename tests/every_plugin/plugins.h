// What the suites over every plugin share: the plugins, their devices, and matrices in a device's memory.
//
// The plugins are those in the directories that PLUGIN_DIRECTORIES names, with a colon between two of them; their files
// tell their device.
#pragma once

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "host/checks/problem.h"
#include "host/device/device.h"
#include "host/library/discovery.h"
#include "host/library/plugin.h"
#include "tests/catch.h"

namespace test {

using namespace judge;

inline std::vector<Candidate> plugins() {
    const char* const names = std::getenv("PLUGIN_DIRECTORIES");
    REQUIRE(names != nullptr);
    std::vector<std::filesystem::path> directories;
    std::istringstream rest(names);
    for (std::string name; std::getline(rest, name, ':');) directories.push_back(name);
    std::vector<Candidate> found = discover(directories);
    REQUIRE_FALSE(found.empty());
    return found;
}

inline Device& device_for(Target target) {
    static std::map<bool, std::unique_ptr<Device>> devices;
    std::unique_ptr<Device>& device = devices[target == Target::cuda];
    if (!device) device = target == Target::cuda ? make_cuda_device() : make_host_device();
    return *device;
}

// Loaded once each, and never unloaded (see Plugin).
inline const Plugin& load(const Candidate& candidate) {
    static std::map<std::filesystem::path, std::unique_ptr<Plugin>> loaded;
    std::unique_ptr<Plugin>& plugin = loaded[candidate.path];
    if (!plugin) plugin = std::make_unique<Plugin>(candidate.path);
    return *plugin;
}

// On a GPU and in `make test-all` each plugin is called in each way. Of what needs seconds on the CPU `make test` takes
// a sixth: of the n-th plugin and way those whose sum divides by six, so that every way has its turn, and every plugin
// where there are six ways. With AddressSanitizer, which makes calls take four times as long, it is that sixth, too
// (SANITIZED, which tests/run.py sets), and after `make test` the other five are left.
inline bool has_its_turn(Target target, size_t plugin, size_t way) {
    if (target == Target::cuda) return true;
    const bool sixth = (plugin + way) % 6 == 0;
    if (std::getenv("SANITIZED")) return sixth;
    if (std::getenv("AFTER_TEST")) return !sixth;
    return sixth || std::getenv("TEST_ALL");
}

// The one plugin that needs a library which may be missing refuses 1 x 1 x 1 as unsupported then, and says why. Any
// other has to be right.
inline std::string reason_to_skip(const Plugin& plugin, Device& device) {
    const GuardedMatrix one(device, 1, 0);
    solve_gemm_t call = solve_gemm_one();
    call.M = call.N = call.K = 1, call.lda = call.ldb = call.ldc = 1;
    call.A = call.B = call.C = one.data();
    if (!plugin.solve_gemm || plugin.solve_gemm(&call) != SOLVE_UNSUPPORTED) return "";
    return plugin.last_error();
}

// Whether it can; if not, says so, once for each plugin.
inline bool can_run(const Candidate& candidate, const Plugin& plugin, Device& device) {
    static std::map<std::filesystem::path, std::string> reasons;
    const auto [reason, is_new] = reasons.try_emplace(candidate.path);
    if (is_new) {
        if (candidate.name == "05_cublasmp") reason->second = reason_to_skip(plugin, device);
        if (!reason->second.empty()) fmt::print("SKIPPED: {}: {}\n", candidate.name, reason->second);
    }
    return reason->second.empty();
}

// Calls body(candidate, plugin, device) for each plugin that can run here, naming it in whatever fails.
template <class Body>
void for_each_plugin(Body body) {
    for (const Candidate& candidate : plugins()) {
        INFO("plugin " << candidate.name << " (" << to_string(candidate.target) << ")");
        REQUIRE(candidate.problem.empty());
        const Plugin& plugin = load(candidate);
        Device& device = device_for(candidate.target);
        if (can_run(candidate, plugin, device)) body(candidate, plugin, device);
    }
}

// The same for those that export solve, and for those that export solve_chain.
template <class Body>
void for_each_gemm(Body body) {
    for_each_plugin([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        if (plugin.solve) body(candidate, plugin, device);
    });
}

template <class Body>
void for_each_chain(Body body) {
    for_each_plugin([&](const Candidate& candidate, const Plugin& plugin, Device& device) {
        if (plugin.solve_chain) body(candidate, plugin, device);
    });
}

// A matrix in the device's memory, filled by the host's values and read back into them.
class Matrix {
  public:
    Matrix(Device& device, const std::vector<float>& values) : device_(device), guarded_(device, values.size(), 0) {
        device_.write(guarded_.data(), values.data(), values.size());
    }
    float* data() const { return guarded_.data(); }
    std::vector<float> values() const {
        std::vector<float> values(guarded_.elements());
        device_.synchronize();
        device_.read(values.data(), guarded_.data(), values.size());
        return values;
    }

  private:
    Device& device_;
    GuardedMatrix guarded_;
};

inline std::vector<float> random_values(size_t count, uint64_t seed) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = std::sin(float(i * 7 + seed) * 0.37f);
    return values;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace test
