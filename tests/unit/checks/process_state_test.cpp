#include "host/checks/process_state.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/text.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace judge;
using namespace unit;

namespace {

using Changes = std::vector<std::string>;

Changes changes_by(const std::function<void()>& change) {
    const ProcessState before = process_state();
    change();
    return changes(before, process_state());
}

}  // namespace

TEST_CASE("a process that does nothing changes nothing") {
    CHECK(changes_by([] {}) == Changes{});
}

TEST_CASE("a change of the working directory, the umask or a signal's handler is told") {
    const auto before = std::filesystem::current_path();
    const mode_t mask = umask(0022);
    CHECK(changes_by([] { std::filesystem::current_path("/proc"); }) ==
          Changes{"the working directory (" + before.string() + ", now /proc)"});
    CHECK(changes_by([] { umask(0077); }) == Changes{"the umask (0022, now 0077)"});
    std::signal(SIGUSR2, SIG_DFL);  // whoever started this may ignore it: perf does
    CHECK(changes_by([] { std::signal(SIGUSR2, SIG_IGN); }) ==
          Changes{"the handler of SIGUSR2 (default, now ignored)"});
    const auto to_function = changes_by([] { std::signal(SIGUSR2, [](int) {}); });
    REQUIRE(to_function.size() == 1);
    CHECK(to_function[0].rfind("the handler of SIGUSR2 (ignored, now a function at ", 0) == 0);
    CHECK(changes_by([] { std::signal(SIGUSR2, [](int) { std::abort(); }); }).size() == 1);
    std::filesystem::current_path(before);
    umask(mask);
    std::signal(SIGUSR2, SIG_DFL);
}

TEST_CASE("a change of the environment is told by the variable's name") {
    CHECK(changes_by([] { setenv("A_TEST_SET_THIS", "1", 1); }) ==
          Changes{"the environment variable A_TEST_SET_THIS (now 1)"});
    CHECK(changes_by([] { setenv("A_TEST_SET_THIS", "2", 1); }) ==
          Changes{"the environment variable A_TEST_SET_THIS (1, now 2)"});
    CHECK(changes_by([] { unsetenv("A_TEST_SET_THIS"); }) ==
          Changes{"the environment variable A_TEST_SET_THIS (now gone)"});
}

TEST_CASE("a descriptor that was closed or replaced is told, one that was opened is not") {
    const int fd = open("/dev/null", O_RDONLY);
    int other = -1;
    CHECK(changes_by([&] { other = open("/dev/zero", O_RDONLY); }) == Changes{});
    const std::string name = "descriptor " + std::to_string(fd);
    CHECK(changes_by([&] { dup2(other, fd); }) == Changes{name + " (/dev/null, now closed or another)"});
    CHECK(changes_by([&] { close(fd); }) == Changes{name + " (/dev/zero, now closed or another)"});
    close(other);
}

TEST_CASE("rounding and flushing of subnormals are told, and put back at the end of the scope") {
    {
        CallGuard guard;
        CHECK(guard.changes() == Changes{});
        std::fesetround(FE_UPWARD);
        CHECK(guard.changes() == Changes{"the rounding (to nearest, now upwards)"});
    }
    CHECK(std::fegetround() == FE_TONEAREST);
#if defined(__x86_64__)
    {
        CallGuard guard;
        _mm_setcsr(_mm_getcsr() | 0x8040);  // what -ffast-math does when a library is loaded
        CHECK(guard.changes() == Changes{"subnormal numbers (kept, now flushed to zero)"});
    }
    CHECK((_mm_getcsr() & 0x8040) == 0);
#endif
}

TEST_CASE("what fails to be caught, and a limit that is lowered, are told, and the limit is put back") {
    const auto before = std::get_terminate();
    CHECK(changes_by([] { std::set_terminate([] { std::abort(); }); }).size() == 1);
    std::set_terminate(before);
    rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    for (const bool told : {true, false}) {
        CallGuard guard;
        const rlimit lower{3, limit.rlim_max};
        setrlimit(RLIMIT_NOFILE, &lower);
        if (!told) continue;
        CHECK(guard.changes() == Changes{"the limit RLIMIT_NOFILE (" + std::to_string(limit.rlim_cur) + ", now 3)"});
    }
    rlimit now;
    getrlimit(RLIMIT_NOFILE, &now);
    CHECK(now.rlim_cur == limit.rlim_cur);
}

TEST_CASE("what a process holds is counted") {
    const Usage before = process_usage();
    constexpr size_t kSize = 1 << 20;
    constexpr size_t kMapped = size_t{1} << 28;  // far more than malloc or a thread gives back meanwhile
    char* volatile memory = static_cast<char*>(std::malloc(kSize));
    void* const mapped = mmap(nullptr, kMapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    constexpr size_t kReserved = size_t{1} << 30;
    void* const reserved = mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const int fd = open("/dev/null", O_RDONLY);
    std::atomic<bool> done = false;
    std::thread thread([&] {
        while (!done) std::this_thread::yield();
    });
    const Usage after = process_usage();
    done = true;
    thread.join();
    close(fd);
    std::free(memory);
    munmap(mapped, kMapped);
    munmap(reserved, kReserved);
    CHECK(after.heap_bytes - before.heap_bytes >= int64_t{kSize});
    CHECK(after.mapped_bytes - before.mapped_bytes >= int64_t{kMapped / 2});
    CHECK(after.mapped_bytes - before.mapped_bytes < int64_t{kReserved});
    CHECK(after.threads - before.threads == 1);
    CHECK(after.descriptors - before.descriptors == 1);
}

TEST_CASE("a thread that works while this one sleeps uses CPU time, one that sleeps does not") {
    CHECK(background_cpu_seconds(std::chrono::milliseconds(50)) < 0.01);
    std::atomic<bool> done = false;
    // Four, so that on a busy machine, too, they get some time.
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            while (!done) {
            }
        });
    }
    const double busy = background_cpu_seconds(std::chrono::milliseconds(100));
    done = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(busy > 0.01);
}
