#include "engine.h"

#include "../loader.hpp"
#include "../search.hpp"
#include "settings.h"

namespace drop_in {

namespace {

constexpr const char* kName = "90_dispatch.so";

std::string find_engine() {
    if (!settings().engine.empty()) return settings().engine;
    static const char here = 0;
    const auto folders = sgemm_ladder::folders_of("cuda", settings().folders, sgemm_ladder::folder_of(&here));
    const std::string found = sgemm_ladder::find_file(folders, kName);
    if (!found.empty()) return found;
    throw sgemm_ladder::Error(std::string("no ") + kName + " in " + sgemm_ladder::listed(folders) +
                              ": SGEMM_LADDER_ENGINE names the file");
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
