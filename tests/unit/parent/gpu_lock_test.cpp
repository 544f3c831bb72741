#include "host/parent/gpu_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "tests/catch.h"

using namespace judge;

namespace {
// Of this test alone, were it to run twice at a time.
std::string name(const char* purpose) {
    return purpose + std::to_string(getpid());
}
bool give_up() {
    return false;
}
}  // namespace

TEST_CASE("a GPU is locked by one, and free when that one is done") {
    const std::string gpu = name("GPU-a");
    auto first = std::make_unique<GpuLock>(gpu, give_up);
    CHECK(first->held());
    CHECK(!GpuLock(gpu, give_up).held());
    CHECK(GpuLock(name("GPU-b"), give_up).held());
    first.reset();
    CHECK(GpuLock(gpu, give_up).held());
}

TEST_CASE("who waits for a GPU gets it when it is free") {
    const std::string gpu = name("GPU-c");
    auto first = std::make_unique<GpuLock>(gpu, give_up);
    int waits = 0;
    const GpuLock second(gpu, [&] {
        if (++waits == 2) first.reset();
        return waits < 10;
    });
    CHECK(second.held());
    CHECK(waits == 2);
}

TEST_CASE("a run that was killed leaves the GPU free") {
    const std::string gpu = name("GPU-d");
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const GpuLock lock(gpu, give_up);
        const char held = lock.held();
        if (write(ready[1], &held, 1) == 1) pause();
        _exit(1);
    }
    char held = 0;
    REQUIRE(read(ready[0], &held, 1) == 1);
    CHECK(held == 1);
    CHECK(!GpuLock(gpu, give_up).held());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK(GpuLock(gpu, give_up).held());
    close(ready[0]);
    close(ready[1]);
}
