#include "host/device/host_memory.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/files.h"

using namespace judge;
using namespace unit;

namespace {

constexpr uint64_t kMiB = 1 << 20;

using Files = std::vector<std::pair<std::string, std::string>>;

// A machine with 800 MiB available, and with these files below its root.
class Machine {
  public:
    explicit Machine(const Files& files) {
        write_file(directory_ / "proc/meminfo", "MemTotal:  1024000 kB\nMemAvailable:  819200 kB\nSwapFree: 0 kB\n");
        for (const auto& [name, text] : files) write_file(directory_ / name, text);
    }
    uint64_t available() const { return available_memory(directory_.path()).value() / kMiB; }

  private:
    TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("without control groups there is what the machine has") {
    CHECK(Machine(Files{}).available() == 800);
    CHECK(Machine(Files{{"proc/self/cgroup", "0::/\n"}}).available() == 800);
    CHECK(!available_memory("/no/such/root"));
    CHECK(available_memory().value() > kMiB);
}

TEST_CASE("a control group leaves its limit less what is used, files that it may forget not counted") {
    CHECK(Machine(Files{{"proc/self/cgroup", "0::/a/b\n"},
                        {"sys/fs/cgroup/a/b/memory.max", "524288000\n"},
                        {"sys/fs/cgroup/a/b/memory.current", "209715200\n"},
                        {"sys/fs/cgroup/a/b/memory.stat", "anon 1\nfile 2\ninactive_file 104857600\nactive_file 3\n"}})
              .available() == 400);
    CHECK(Machine(Files{{"proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/a\n0::/\n"},
                        {"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "104857600\n"},
                        {"sys/fs/cgroup/memory/a/memory.usage_in_bytes", "52428800\n"},
                        {"sys/fs/cgroup/memory/a/memory.stat", "inactive_file 52428800\ntotal_inactive_file 0\n"}})
              .available() == 50);
}

TEST_CASE("the least of the machine and of all groups above counts, and one without a limit does not") {
    const std::pair<std::string, std::string> group = {"proc/self/cgroup", "0::/a/b\n"};
    CHECK(Machine(Files{group,
                        {"sys/fs/cgroup/a/b/memory.max", "max\n"},
                        {"sys/fs/cgroup/a/b/memory.current", "1\n"},
                        {"sys/fs/cgroup/a/memory.max", "104857600\n"},
                        {"sys/fs/cgroup/a/memory.current", "0\n"}})
              .available() == 100);
    CHECK(Machine(Files{group, {"sys/fs/cgroup/memory.max", "209715200\n"}, {"sys/fs/cgroup/memory.current", "0\n"}})
              .available() == 200);
    CHECK(Machine(Files{group, {"sys/fs/cgroup/memory.max", "10485760000\n"}, {"sys/fs/cgroup/memory.current", "0\n"}})
              .available() == 800);
    CHECK(Machine(Files{group, {"sys/fs/cgroup/memory.max", "100\n"}, {"sys/fs/cgroup/memory.current", "200\n"}})
              .available() == 0);
}
