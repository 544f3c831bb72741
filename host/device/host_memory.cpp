#include "device/host_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace judge {

namespace fs = std::filesystem;

namespace {

std::optional<uint64_t> number_in(const fs::path& file) {
    uint64_t value = 0;
    return std::ifstream(file) >> value ? std::optional(value) : std::nullopt;  // "max" is none
}

// The number behind a name in lines of "name number" or "name: number".
std::optional<uint64_t> number_after(const std::string& name, const fs::path& file) {
    std::ifstream stream(file);
    for (std::string word; stream >> word; stream.ignore(1000, '\n')) {
        uint64_t value = 0;
        if (word == name && stream >> value) return value;
    }
    return std::nullopt;
}

// The names of the files that a version of control groups has in a group's directory.
struct Files {
    const char *limit, *usage, *reclaimable;
};
constexpr Files kFirstVersion = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Files kSecondVersion = {"memory.max", "memory.current", "inactive_file"};

// What a group leaves of its limit; files that it has read and may forget are counted as free.
std::optional<uint64_t> left_in(const fs::path& group, const Files& files) {
    const auto limit = number_in(group / files.limit), usage = number_in(group / files.usage);
    if (!limit || !usage) return std::nullopt;
    const uint64_t used = *usage - std::min(*usage, number_after(files.reclaimable, group / "memory.stat").value_or(0));
    return *limit - std::min(*limit, used);
}

void take_less(std::optional<uint64_t>& least, const std::optional<uint64_t>& value) {
    if (value) least = std::min(least.value_or(*value), *value);
}

}  // namespace

std::optional<uint64_t> available_memory(const fs::path& root) {
    std::optional<uint64_t> least;
    if (const auto kib = number_after("MemAvailable:", root / "proc/meminfo")) least = *kib << 10;
    // Lines of "number:controllers:path"; the second version has no controllers there.
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == line.npos || second == line.npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const bool version_1 = controllers.find(",memory,") != controllers.npos;
        if (!version_1 && controllers != ",,") continue;
        const fs::path mount = root / (version_1 ? "sys/fs/cgroup/memory" : "sys/fs/cgroup");
        // A limit holds for all groups below; in a container the path may be that of the host, and only its root here.
        fs::path group = fs::path(line.substr(second + 1)).relative_path();
        for (;; group = group.parent_path()) {
            take_less(least, left_in(mount / group, version_1 ? kFirstVersion : kSecondVersion));
            if (group.empty()) break;
        }
    }
    return least;
}

}  // namespace judge
