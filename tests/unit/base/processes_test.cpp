#include "host/base/processes.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/catch.h"

using namespace judge;

TEST_CASE("a thread is one of the process's, and its CPU time is told from outside") {
    std::atomic<pid_t> id = 0;
    std::atomic<bool> worked = false, done = false;
    std::thread thread([&] {
        id = static_cast<pid_t>(syscall(SYS_gettid));
        while (cpu_seconds_of_thread(id) < 2e-3) {
        }
        worked = true;
        while (!done) std::this_thread::yield();
    });
    while (!worked) std::this_thread::yield();
    CHECK(thread_ids().contains(id));
    CHECK(thread_ids().contains(getpid()));
    CHECK(cpu_seconds_of_thread(id) >= 2e-3);
    CHECK(process_cpu_seconds() >= cpu_seconds_of_thread(id));
    done = true;
    thread.join();
    CHECK(!thread_ids().contains(id));
    CHECK(cpu_seconds_of_thread(id) == 0);
}

TEST_CASE("children and their children are descendants, dead ones too until somebody waits for them") {
    int ready[2], end[2];
    REQUIRE(pipe(ready) == 0);
    REQUIRE(pipe(end) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const pid_t grandchild = fork();
        char byte = 0;
        close(end[1]);
        if (grandchild == 0) {
            while (process_cpu_seconds() < 2e-3) {
            }
            const pid_t self = getpid();
            [[maybe_unused]] const auto written = write(ready[1], &self, sizeof(self));
        }
        [[maybe_unused]] const auto got = read(end[0], &byte, 1);  // until the test lets go
        _exit(0);
    }
    close(end[0]);
    pid_t grandchild = 0;
    REQUIRE(read(ready[0], &grandchild, sizeof(grandchild)) == sizeof(grandchild));
    const auto is_descendant = [](pid_t process) {
        const auto all = descendants(false);
        return std::find(all.begin(), all.end(), process) != all.end();
    };
    CHECK(is_descendant(child));
    CHECK(is_alive(child));
    CHECK(is_descendant(grandchild));
    CHECK(!is_descendant(getpid()));
    CHECK(cpu_seconds_of_process(grandchild) >= 2e-3);
    close(end[1]);
    siginfo_t ended{};
    REQUIRE(waitid(P_PID, child, &ended, WEXITED | WNOWAIT) == 0);
    CHECK(is_descendant(child));
    CHECK(!is_alive(child));
    CHECK(waitpid(child, nullptr, 0) == child);
    CHECK(!is_alive(child));
    CHECK(!is_descendant(child));
    for (const int fd : {ready[0], ready[1]}) close(fd);
}
