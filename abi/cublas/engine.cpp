#include "engine.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <sstream>
#include <vector>

#include "../loader.hpp"
#include "settings.h"

namespace drop_in {

namespace {

constexpr const char* kName = "90_dispatch.so";

bool is_file(const std::string& path) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
}

// The folder that this library lies in, PREFIX/lib or build/lib.
std::string own_folder() {
    Dl_info info{};
    static const char here = 0;
    if (!dladdr(&here, &info) || !info.dli_fname) return ".";
    const std::string path = info.dli_fname;
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string find_engine() {
    if (!settings().engine.empty()) return settings().engine;
    std::vector<std::string> candidates;
    std::istringstream folders(settings().folders);
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (folder.empty()) continue;
        candidates.push_back(folder + "/" + kName);
        candidates.push_back(folder + "/cuda/" + kName);
    }
    candidates.push_back(own_folder() + "/sgemm-ladder/cuda/" + kName);
    candidates.push_back(own_folder() + "/../plugins/cuda/" + kName);
    for (const std::string& each : candidates) {
        if (is_file(each)) return each;
    }
    throw sgemm_ladder::Error(std::string("no ") + kName + " in " + own_folder() +
                              "/sgemm-ladder/cuda: SGEMM_LADDER_ENGINE names the file");
}

struct Engine {
    std::optional<sgemm_ladder::Plugin> plugin;
    std::string name = "none";
};

Engine* open_engine() {
    auto* const engine = new Engine;
    try {
        sgemm_ladder::Plugin plugin(find_engine());
        if (!plugin.has_gemm()) throw sgemm_ladder::Error(plugin.path() + ": exports no solve_gemm");
        engine->name = plugin.path();
        engine->plugin = std::move(plugin);
    } catch (const sgemm_ladder::Error& error) {
        tell(std::string(error.what()) + "; all calls go to cuBLAS");
    }
    return engine;
}

// Never destroyed: a program may multiply until its end.
const Engine& the_engine() {
    static const Engine& engine = *open_engine();
    return engine;
}

}  // namespace

bool has_engine() {
    return the_engine().plugin.has_value();
}

const std::string& engine_name() {
    return the_engine().name;
}

bool takes_device_memory() {
    static const bool device = the_engine().plugin->takes_device_pointers();
    return device;
}

int multiply(const solve_gemm_t& call, std::string& why) {
    try {
        the_engine().plugin->gemm(call);
        return SOLVE_OK;
    } catch (const sgemm_ladder::Error& error) {
        why = error.what();
        return error.code();
    }
}

}  // namespace drop_in
