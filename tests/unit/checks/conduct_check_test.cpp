#include "host/checks/conduct_check.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/checks/solves.h"
#include "tests/unit/files.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// A problem on host memory that a right call has been judged on.
struct Judged {
    std::unique_ptr<Device> device = make_host_device();
    Problem problem{*device, kShape, 5};

    Judged() {
        REQUIRE(problem.judge([&](const float*, const float*, float*) { return multiply(); }).status == Status::ok);
    }

    std::string multiply() {
        unit::multiply(problem.A(), problem.B(), problem.C(), kShape);
        return {};
    }
    Verdict check(const std::function<CallErrors()>& call) { return check_on_new_inputs(problem, call, 99); }
};

std::optional<std::string> found_in(const ConductTest& test) {
    return check_resources(*make_host_device(), test);
}

std::string leak_of(const std::function<void()>& call) {
    return found_in({.call = call}).value_or("cannot be said");
}

}  // namespace

TEST_CASE("a call that computes is right on new inputs too") {
    Judged judged;
    int calls = 0;
    const Verdict verdict = judged.check([&] { return ++calls, judged.multiply(); });
    CHECK(verdict.status == Status::ok);
    CHECK(verdict.message == "");
    CHECK(calls == 3);
}

TEST_CASE("a result of earlier inputs is wrong, and one that is not written is not written") {
    Judged judged;
    std::vector<float> old(judged.problem.C(), judged.problem.C() + kShape.output_elements());
    const Verdict replayed = judged.check([&] {
        std::copy(old.begin(), old.end(), judged.problem.output());
        return std::string();
    });
    CHECK(replayed.status == Status::wrong);
    CHECK(contains(replayed.message, "not on new inputs in the same memory: 143 wrong of 143"));
    CHECK(judged.check([] { return std::string(); }).status == Status::not_written);
}

TEST_CASE("a call that is right once more, and then no longer, is found") {
    Judged judged;
    int calls = 0;
    const auto call = [&] { return ++calls == 3 ? std::string() : judged.multiply(); };
    CHECK(judged.check(call).status == Status::not_written);
}

TEST_CASE("a call that keeps what it allocates leaks it") {
    std::vector<std::unique_ptr<char[]>> kept;
    kept.reserve(1 << 20);
    const std::string leak = leak_of([&] { kept.push_back(std::make_unique<char[]>(1000)); });
    CAPTURE(leak);
    CHECK(contains(leak, "each call leaks 10"));  // 1000, and what malloc adds
    CHECK(contains(leak, " bytes of host memory"));
}

TEST_CASE("a call that takes long once, as on a busy machine, is looked at all the same") {
    std::vector<std::unique_ptr<char[]>> kept;
    kept.reserve(1 << 12);
    bool first = true;
    const std::string leak = leak_of([&] {
        if (std::exchange(first, false)) std::this_thread::sleep_for(std::chrono::milliseconds(210));
        kept.push_back(std::make_unique<char[]>(1000));
    });
    CAPTURE(leak);
    CHECK(contains(leak, "each call leaks 10"));
}

TEST_CASE("a call that allocates at first, or frees what it allocates, does not leak") {
    std::vector<std::unique_ptr<char[]>> kept;
    CHECK(leak_of([&] {
              if (kept.size() < 20) kept.push_back(std::make_unique<char[]>(100'000));
          }) == "");
    CHECK(leak_of([] { std::vector<char>(100'000); }) == "");
}

TEST_CASE("threads that still work after the call are told, and those that sleep are counted") {
    std::atomic<bool> done = false;
    std::vector<std::thread> threads;
    const auto once = [&] {
        // Many, so that on a busy machine, too, they get most of the time.
        while (threads.size() < 12) {
            threads.emplace_back([&] {
                while (!done) {
                }
            });
        }
    };
    CHECK(contains(leak_of(once), "ms of CPU time in 200 ms"));
    const auto each_time = [&] {
        threads.emplace_back([&] {
            while (!done) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        });
    };
    const std::string leak = leak_of(each_time);
    done = true;
    for (std::thread& thread : threads) thread.join();
    CAPTURE(leak);
    CHECK(leak.ends_with(", 1 thread"));
}

TEST_CASE("with little effort leaks are looked for in fewer calls, and found") {
    const auto device = make_host_device();
    std::vector<std::unique_ptr<char[]>> kept;
    kept.reserve(1 << 10);
    const auto leaking = [&] {
        kept.push_back(std::make_unique<char[]>(10'000));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    };
    CHECK(contains(check_resources(*device, {.call = leaking}).value(), "each call leaks 100"));
    kept.clear();
    CHECK(
        contains(check_resources(*device, {.call = leaking, .effort = Effort::quick}).value(), "each call leaks 100"));
    CHECK(kept.size() <= 31);  // a first call, and three times what 20 ms have room for; with normal effort 151
}

TEST_CASE("a call that takes long is made three times, and nothing can be said of it") {
    int calls = 0;
    CHECK(!found_in({.call = [&] {
        ++calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(210));
    }}));
    CHECK(calls == 3);
}

TEST_CASE("what is kept of each new input is a leak") {
    std::set<int> kept;
    int input = 0;
    const auto keep = [&] {
        if (kept.insert(input).second) new char[5000];
    };
    CHECK(leak_of(keep) == "");
    CHECK(contains(found_in({.call = keep, .renew = [&] { ++input; }}).value(), "bytes of host memory"));
}

TEST_CASE("a process that nobody waits for, and a file, is a leak if each call leaves one; one of them is none") {
    std::vector<pid_t> children;
    const auto leave_child = [&] {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        children.push_back(child);
    };
    CHECK(contains(found_in({.call = leave_child, .processes = [&] { return children; }, .emulated = true}).value(),
                   "1 process id (of children)"));
    for (const pid_t child : children) CHECK(waitpid(child, nullptr, 0) == child);

    const TemporaryDirectory directory;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(directory.path());
    int files = 0;
    CHECK(contains(leak_of([&] { std::ofstream(std::to_string(files++)); }), "each call leaks 1 file in a directory"));
    // Another program removes one of its own now and then.
    const auto as_another_removes = [&] {
        std::ofstream(std::to_string(files++));
        if (files % 8 == 0) std::filesystem::remove(std::to_string(files / 2));
    };
    CHECK(contains(leak_of(as_another_removes), "each call leaks 1 file in a directory"));
    CHECK(leak_of([&] { std::ofstream("one"); }) == "");
    std::filesystem::current_path(before);
}

TEST_CASE("one process that sleeps on after the calls is told, one that has ended or is about to is not") {
    int end[2];
    REQUIRE(pipe(end) == 0);
    pid_t child = 0;
    const auto start_one = [&] {
        if (child != 0) return;
        child = fork();
        if (child != 0) return;
        close(end[1]);
        char byte = 0;
        [[maybe_unused]] const auto got = read(end[0], &byte, 1);  // until the test lets go
        _exit(0);
    };
    const auto processes = [&] { return std::vector<pid_t>{child}; };
    CHECK(contains(found_in({.call = start_one, .processes = processes, .emulated = true}).value(),
                   "it leaves a process behind: half a second after its calls have returned"));
    close(end[1]);
    close(end[0]);
    CHECK(found_in({.call = start_one, .processes = processes, .emulated = true}).value() == "");
    CHECK(waitpid(child, nullptr, 0) == child);
}

TEST_CASE("an alarm that is left set is told") {
    const std::string alarm = leak_of([] { ::alarm(1000); });
    ::alarm(0);
    CHECK(contains(alarm, "leaves an alarm set"));
    CHECK(contains(alarm, "SIGALRM in 1e+03 s"));
    CHECK(leak_of([] {}) == "");
}
