#include "engines.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "../search.hpp"

namespace linked {

namespace {

using sgemm_ladder::Error;
using sgemm_ladder::Plugin;

struct Candidate {
    const char* device;  // its folder
    const char* name;
};

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

struct Found {
    std::optional<Plugin> plugin;
    std::string why;  // if there is none

    const Plugin& get() const {
        if (!plugin) throw Error(why, SOLVE_UNSUPPORTED);
        return *plugin;
    }
};

// The candidates' first that is there and can be loaded.
Found* search(const std::vector<Candidate>& candidates) {
    static const char here = 0;
    const std::string own = sgemm_ladder::folder_of(&here);
    auto* const found = new Found;
    for (const Candidate& each : candidates) {
        const auto folders = sgemm_ladder::folders_of(each.device, variable("SGEMM_LADDER_PATH"), own);
        const std::string file = std::string(each.name) + ".so";
        const std::string path = sgemm_ladder::find_file(folders, file);
        std::string reason = "no " + file + " in " + sgemm_ladder::listed(folders);
        if (!path.empty() && (found->plugin = Plugin::open(path, reason))) return found;
        found->why += (found->why.empty() ? "" : "; ") + reason;
    }
    found->why += ": SGEMM_LADDER_PATH adds folders, SGEMM_LADDER_ENGINE names a file";
    return found;
}

// The file that the user names, whatever is in it; null if none is named.
const Found* named() {
    static const Found* const found = [] {
        const std::string file = variable("SGEMM_LADDER_ENGINE");
        if (file.empty()) return static_cast<Found*>(nullptr);
        auto* const opened = new Found;
        opened->plugin = Plugin::open(file, opened->why);
        return opened;
    }();
    return found;
}

// By the driver's library, as what is linked with CUDA does it; where that is not installed there is no GPU for us.
bool has_gpu() {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) return false;
    const auto start = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
    const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
    int devices = 0;
    return start && count && start(0) == 0 && count(&devices) == 0 && devices > 0;
}

const Found& on_device() {
    static const Found& found = *search({{"cuda", "90_dispatch"}});
    return found;
}

const Found& on_host() {
    static const Found& found = *search({{"cpu", "20_packed"}, {"cpu", "90_openblas"}, {"emulator", "90_dispatch"}});
    return found;
}

const Found& of_machine() {
    static const Found& found = has_gpu() && on_device().plugin ? on_device() : on_host();
    return found;
}

}  // namespace

const Plugin& engine(uint32_t memory) {
    if (const Found* const user = named()) {
        const Plugin& plugin = user->get();
        static const uint32_t takes = plugin.takes_device_pointers() ? SOLVE_MEMORY_DEVICE : SOLVE_MEMORY_HOST;
        if (memory == 0 || memory == takes) return plugin;
        throw Error(plugin.path() + ": its matrices are in " +
                        (takes == SOLVE_MEMORY_DEVICE ? "a GPU's memory" : "ordinary memory") + ", not in the other",
                    SOLVE_UNSUPPORTED);
    }
    return (memory == SOLVE_MEMORY_DEVICE ? on_device() : memory == SOLVE_MEMORY_HOST ? on_host() : of_machine()).get();
}

const Plugin& chain_engine() {
    static const Found& found = *search({{"cuda", "90_chain"}, {"cuda", "00_chain_cublas"}});
    return found.get();
}

}  // namespace linked
