#include "strict.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

namespace emulator {

bool is_strict() {
    const char* text = std::getenv("SOLVE_EMULATOR_STRICT");
    return text && *text && std::string(text) != "0";
}

void warn_once(const std::string& text) {
    static std::mutex mutex;
    static std::set<std::string> said;
    const std::lock_guard lock(mutex);
    if (said.insert(text).second) std::fprintf(stderr, "emulator: warning: %s\n", text.c_str());
}

}  // namespace emulator
