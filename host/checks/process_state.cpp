#include "checks/process_state.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "base/processes.h"
#include "device/page_guard.h"
#include "values/environment.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace judge {

namespace fs = std::filesystem;

namespace {

// The value of a line "Name:<tab>value" of /proc/self/status.
std::string status_line(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(name + ":")) return line.substr(line.find_first_not_of(": \t", name.size()));
    }
    return {};
}

constexpr const char* kProcessors = "the processors it may use";

std::string rounding_mode() {
    switch (std::fegetround()) {
        case FE_TONEAREST:
            return "to nearest";
        case FE_TOWARDZERO:
            return "towards zero";
        case FE_UPWARD:
            return "upwards";
        default:
            return "downwards";
    }
}

std::string subnormals() {
#if defined(__x86_64__)
    constexpr unsigned kFlushResults = 1 << 15, kFlushOperands = 1 << 6;  // FTZ and DAZ of MXCSR
    return _mm_getcsr() & (kFlushResults | kFlushOperands) ? "flushed to zero" : "kept";
#elif defined(__aarch64__)
    constexpr uint64_t kFlush = 1 << 24;  // FZ of FPCR
    return __builtin_aarch64_get_fpcr64() & kFlush ? "flushed to zero" : "kept";
#endif
}

int64_t entries_of(const char* directory) {
    std::error_code error;
    return std::distance(fs::directory_iterator(directory, error), fs::directory_iterator{});
}

// Timers that were created have a line each; the file is missing where the kernel does not say.
int64_t created_timers() {
    std::ifstream timers("/proc/self/timers");
    int64_t count = 0;
    for (std::string line; std::getline(timers, line);) count += line.starts_with("ID:");
    return count;
}

int64_t files_left() {
    std::error_code error;
    std::set<fs::path> places;
    for (const fs::path& place :
         {fs::path("."), fs::path("/tmp"), fs::temp_directory_path(error), fs::path("/dev/shm")}) {
        places.insert(fs::weakly_canonical(place, error));
    }
    int64_t count = 0;
    for (const fs::path& place : places) count += entries_of(place.c_str());
    return count;
}

std::string address_of(void (*function)()) {
    return function == nullptr ? "none" : fmt::format("the function at {}", reinterpret_cast<void*>(function));
}

std::string handler(int number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0) return "unknown";
    const bool is_function =
        (action.sa_flags & SA_SIGINFO) || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
    if (is_function) return fmt::format("a function at {}", reinterpret_cast<void*>(action.sa_handler));
    return action.sa_handler == SIG_DFL ? "default" : "ignored";
}

std::map<std::string, std::string> floating_point_modes() {
    return {{"the rounding", rounding_mode()}, {"subnormal numbers", subnormals()}};
}

constexpr std::pair<__rlimit_resource, const char*> kResources[] = {
    {RLIMIT_AS, "RLIMIT_AS"},         {RLIMIT_CORE, "RLIMIT_CORE"},
    {RLIMIT_CPU, "RLIMIT_CPU"},       {RLIMIT_DATA, "RLIMIT_DATA"},
    {RLIMIT_FSIZE, "RLIMIT_FSIZE"},   {RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK"},
    {RLIMIT_NOFILE, "RLIMIT_NOFILE"}, {RLIMIT_NPROC, "RLIMIT_NPROC"},
    {RLIMIT_STACK, "RLIMIT_STACK"},   {RLIMIT_SIGPENDING, "RLIMIT_SIGPENDING"}};

bool is_equal(const rlimit& one, const rlimit& other) {
    return one.rlim_cur == other.rlim_cur && one.rlim_max == other.rlim_max;
}

std::string amount(rlim_t limit) {
    return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit);
}

void compare(std::vector<std::string>& found, const std::string& what, const std::map<std::string, std::string>& before,
             const std::map<std::string, std::string>& after) {
    for (const auto& [name, value] : before) {
        const auto now = after.find(name);
        if (now == after.end()) {
            found.push_back(fmt::format("{}{} (now gone)", what, name));
        } else if (now->second != value) {
            found.push_back(fmt::format("{}{} ({}, now {})", what, name, value, now->second));
        }
    }
    for (const auto& [name, value] : after) {
        if (!before.contains(name)) found.push_back(fmt::format("{}{} (now {})", what, name, value));
    }
}

// The address space that can be read, written or executed, and what the judge has closed of its own.
int64_t accessible_bytes() {
    int64_t bytes = closed_bytes();
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        unsigned long begin = 0, end = 0;
        char access[5] = "";
        if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, access) < 3) continue;
        if (std::strncmp(access, "---", 3) != 0) bytes += static_cast<int64_t>(end - begin);
    }
    return bytes;
}

}  // namespace

ProcessState process_state() {
    ProcessState state;
    std::error_code error;
    state.settings = {{"the working directory", fs::current_path(error).string()},
                      {"the umask", status_line("Umask")},
                      {"the blocked signals", status_line("SigBlk")},
                      {"the locale", std::setlocale(LC_ALL, nullptr)},
                      {"this thread's locale", uselocale(locale_t(0)) == LC_GLOBAL_LOCALE ? "that of all" : "its own"},
                      {"the process group", std::to_string(getpgrp())},
                      {"whether it may be dumped", std::to_string(prctl(PR_GET_DUMPABLE))},
                      {"the handler of what nobody catches", address_of(std::get_terminate())},
                      {"the handler of failing new", address_of(std::get_new_handler())},
                      {"the priority", std::to_string(getpriority(PRIO_PROCESS, 0))},
                      {kProcessors, status_line("Cpus_allowed_list")}};
    for (int number = 1; number < NSIG; ++number) {
        const char* const name = sigabbrev_np(number);
        if (name != nullptr) state.settings[fmt::format("the handler of SIG{}", name)] = handler(number);
    }
    for (char** variable = environ; variable && *variable; ++variable) {
        const std::string text = *variable;
        const size_t equals = text.find('=');
        if (equals != text.npos) state.environment[text.substr(0, equals)] = text.substr(equals + 1);
    }
    for (const auto& entry : fs::directory_iterator("/proc/self/fd", error)) {
        const std::string target = fs::read_symlink(entry.path(), error).string();
        if (!error) state.descriptors[std::stoi(entry.path().filename())] = target;
    }
    return state;
}

std::vector<std::string> changes(const ProcessState& before, const ProcessState& after) {
    std::vector<std::string> found;
    compare(found, "", before.settings, after.settings);
    compare(found, "the environment variable ", before.environment, after.environment);
    for (const auto& [number, target] : before.descriptors) {
        const auto now = after.descriptors.find(number);
        // The one that process_state() itself reads the directory through is gone by now.
        if (target.starts_with("/proc/") && target.ends_with("/fd")) continue;
        if (now == after.descriptors.end() || now->second != target) {
            found.push_back(fmt::format("descriptor {} ({}, now closed or another)", number, target));
        }
    }
    return found;
}

std::vector<std::string> changes_of_speed(const ProcessState& before, const ProcessState& after) {
    const auto of_speed = [](const ProcessState& all) {
        ProcessState some;
        for (const char* const name : {kProcessors, "the priority"}) some.settings[name] = all.settings.at(name);
        for (const auto& variable : all.environment) {
            if (is_read_by_blas(variable.first)) some.environment.insert(variable);
        }
        return some;
    };
    return changes(of_speed(before), of_speed(after));
}

CallGuard::CallGuard() : modes_(floating_point_modes()), limits_(limits()) {
    std::fegetenv(&environment_);
}

CallGuard::~CallGuard() {
    std::fesetenv(&environment_);
    put_limits_back();
}

CallGuard::Limits CallGuard::limits() {
    static_assert(std::size(kResources) == kLimits);
    Limits limits{};
    for (size_t i = 0; i < kLimits; ++i) getrlimit(kResources[i].first, &limits[i]);
    return limits;
}

CallGuard::Limits CallGuard::put_limits_back() const {
    const Limits now = limits();
    for (size_t i = 0; i < kLimits; ++i) {
        if (is_equal(now[i], limits_[i]) || setrlimit(kResources[i].first, &limits_[i]) == 0) continue;
        // A hard limit that was lowered stays so, but for root.
        const rlimit most{std::min(limits_[i].rlim_cur, now[i].rlim_max), now[i].rlim_max};
        setrlimit(kResources[i].first, &most);
    }
    return now;
}

std::vector<std::string> CallGuard::changes() {
    const Limits now = put_limits_back();
    std::vector<std::string> found;
    compare(found, "", modes_, floating_point_modes());
    std::fesetenv(&environment_);
    for (size_t i = 0; i < kLimits; ++i) {
        if (is_equal(now[i], limits_[i])) continue;
        found.push_back(fmt::format("the limit {} ({}, now {})", kResources[i].second, amount(limits_[i].rlim_cur),
                                    amount(now[i].rlim_cur)));
    }
    return found;
}

Usage process_usage() {
    const struct mallinfo2 heap = mallinfo2();
    return {.heap_bytes = static_cast<int64_t>(heap.uordblks + heap.hblkhd),
            .mapped_bytes = accessible_bytes() - static_cast<int64_t>(heap.arena + heap.hblkhd),
            .threads = entries_of("/proc/self/task"),
            .descriptors = entries_of("/proc/self/fd"),
            .timers = created_timers(),
            .files = files_left()};
}

std::string pending_alarm() {
    static constexpr std::pair<__itimer_which, const char*> kTimers[] = {
        {ITIMER_REAL, "SIGALRM"}, {ITIMER_VIRTUAL, "SIGVTALRM"}, {ITIMER_PROF, "SIGPROF"}};
    for (const auto& [timer, signal] : kTimers) {
        itimerval set{};
        if (getitimer(timer, &set) != 0) continue;
        const double seconds = double(set.it_value.tv_sec) + 1e-6 * double(set.it_value.tv_usec);
        if (seconds > 0) return fmt::format("{} in {:.3g} s", signal, seconds);
    }
    return {};
}

double background_cpu_seconds(std::chrono::milliseconds asleep) {
    const double before = process_cpu_seconds();
    std::this_thread::sleep_for(asleep);
    return process_cpu_seconds() - before;
}

}  // namespace judge
