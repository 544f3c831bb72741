#include "base/processes.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace judge {

namespace fs = std::filesystem;

namespace {

double seconds_on(clockid_t clock) {
    timespec time{};
    return clock_gettime(clock, &time) == 0 ? double(time.tv_sec) + 1e-9 * double(time.tv_nsec) : 0;
}

std::set<pid_t> numbers_in(const std::string& directory) {
    std::set<pid_t> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
        found.insert(static_cast<pid_t>(std::atol(entry.path().filename().c_str())));
    }
    return found;
}

void add_descendants(pid_t of, pid_t but, std::vector<pid_t>& found) {
    for (const pid_t thread : numbers_in(fmt::format("/proc/{}/task", of))) {
        std::ifstream children(fmt::format("/proc/{}/task/{}/children", of, thread));
        for (pid_t child = 0; children >> child;) {
            if (child == but) continue;
            found.push_back(child);
            add_descendants(child, but, found);
        }
    }
}

char state_in(const std::string& stat_file) {
    std::ifstream file(stat_file);
    std::string stat;
    std::getline(file, stat);
    const size_t name_end = stat.rfind(") ");  // a name may hold anything
    return name_end == stat.npos || name_end + 2 >= stat.size() ? '\0' : stat[name_end + 2];
}

}  // namespace

std::set<pid_t> thread_ids() {
    return numbers_in("/proc/self/task");
}

std::vector<pid_t> descendants(bool adopted) {
    std::vector<pid_t> found;
    add_descendants(getpid(), 0, found);
    if (adopted) add_descendants(getppid(), getpid(), found);
    return found;
}

double process_cpu_seconds() {
    return seconds_on(CLOCK_PROCESS_CPUTIME_ID);
}

double thread_cpu_seconds() {
    return seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

// Linux's number of the clock of a thread's CPU time; pthread_getcpuclockid wants a pthread_t, which others' have not.
double cpu_seconds_of_thread(pid_t thread) {
    constexpr int kOfThread = 4, kScheduled = 2;
    return seconds_on(static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | kOfThread | kScheduled));
}

double cpu_seconds_of_process(pid_t process) {
    clockid_t clock{};
    return clock_getcpuclockid(process, &clock) == 0 ? seconds_on(clock) : 0;
}

char state_of_thread(pid_t thread) {
    return state_in(fmt::format("/proc/self/task/{}/stat", thread));
}

bool is_alive(pid_t process) {
    const char state = state_in(fmt::format("/proc/{}/stat", process));
    return state != 0 && state != 'Z' && state != 'X';
}

}  // namespace judge
