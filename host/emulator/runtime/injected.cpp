#include "injected.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

namespace emulator {

namespace {

struct Counter {
    std::string value;
    uint64_t number = 0, count = 0;
};

// How many calls there have been since the variable has this value, and which of them it names; 0 and 0 without it.
Counter next(const char* variable) {
    static std::mutex mutex;
    static std::map<std::string, Counter>& counters = *new std::map<std::string, Counter>;
    const char* const text = std::getenv(variable);
    const std::lock_guard lock(mutex);
    const std::string now = text ? text : "";
    const auto found = counters.find(variable);
    if (now.empty()) {
        if (found != counters.end()) counters.erase(found);
        return {};
    }
    Counter& counter = counters[variable];
    if (counter.value != now) counter = {now, std::strtoull(now.c_str(), nullptr, 10), 0};
    ++counter.count;
    return counter;
}

}  // namespace

bool is_injected(const char* variable) {
    const Counter counter = next(variable);
    const bool all = counter.value.ends_with('+');
    return counter.count > 0 && (all ? counter.count >= counter.number : counter.count == counter.number);
}

bool is_injected_from_then_on(const char* variable) {
    const Counter counter = next(variable);
    return counter.count > 0 && counter.count >= counter.number;
}

}  // namespace emulator
