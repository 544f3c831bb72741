#include "host/timing/second_clock.h"

#include <sched.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "tests/catch.h"
#include "tests/unit/skip.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

SecondClock::Time at(double seconds) {
    return SecondClock::Time(
        std::chrono::duration_cast<SecondClock::Time::duration>(std::chrono::duration<double>(seconds)));
}

// Of ten batches that took `real` seconds each and were said to take `said`.
Row judged(double real, double said, Status status = Status::ok) {
    SecondClock clock;
    for (int i = 0; i < 10; ++i) {
        clock.batch_begins(at(100 + i), 0);
        clock.batch_ended(said, at(100 + i + real), 0);
    }
    Row row;
    row.status = status;
    clock.judge(row);
    return row;
}

}  // namespace

TEST_CASE("two clocks that agree leave a row as it is") {
    CHECK(judged(0.02, 0.02).status == Status::ok);
    CHECK(judged(0.021, 0.02).status == Status::ok);
    CHECK(judged(0.0015, 0.0001).status == Status::ok);  // a message may be that late
    CHECK(judged(0.02, 0.03).status == Status::ok);
}

TEST_CASE("a worker whose clock runs slow is suspicious") {
    const Row row = judged(0.02, 0.01);
    CHECK(row.status == Status::suspicious);
    CHECK(contains(row.message, "10 batches took 0.2 s"));
    CHECK(contains(row.message, "0.1 s by the one in its own"));
    CHECK(judged(0.02, 0.01, Status::wrong).status == Status::wrong);
}

TEST_CASE("a few messages that come very late leave a row as it is") {
    SecondClock clock;
    for (int i = 0; i < 10; ++i) {
        clock.batch_begins(at(100 + i), 0);
        clock.batch_ended(0.01, at(100 + i + (i < 4 ? 0.9 : 0.01)), 0);
    }
    Row row;
    row.status = Status::ok;
    clock.judge(row);
    CHECK(row.status == Status::ok);
}

TEST_CASE("for what the judge itself waited for a core nobody is suspicious") {
    const auto judged_late = [](double waited_in_a_batch) {
        SecondClock clock;
        double waited = 5;  // before the first batch
        for (int i = 0; i < 5; ++i) {
            clock.batch_begins(at(100 + i), waited);
            waited += waited_in_a_batch;
            clock.batch_ended(0.01, at(100 + i + 0.028), waited);
        }
        Row row;
        row.status = Status::ok;
        clock.judge(row);
        return row.status;
    };
    CHECK(judged_late(0.018) == Status::ok);
    CHECK(judged_late(0.002) == Status::suspicious);  // 26 ms are left of what is said to be 10
}

TEST_CASE("a thread that shares a core with another one waits for it") {
    double ran = 0, waited = 0, times_given_a_core = 0;
    std::ifstream("/proc/thread-self/schedstat") >> ran >> waited >> times_given_a_core;
    if (times_given_a_core == 0) {
        say_skipped("a thread that shares a core with another one waits for it", "the kernel does not count that");
        return;
    }
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(sched_getcpu(), &core);
    std::atomic<bool> seen{false};
    // Two threads of their own, so that this one may use all cores afterwards.
    std::thread other([&] {
        sched_setaffinity(0, sizeof(core), &core);
        while (!seen) continue;
    });
    std::thread waiting([&] {
        sched_setaffinity(0, sizeof(core), &core);
        const double before = waited_for_a_core();
        while (waited_for_a_core() <= before) continue;
        seen = true;
    });
    waiting.join();
    other.join();
    CHECK(seen);
}

TEST_CASE("every row is judged by its own batches") {
    SecondClock clock;
    clock.batch_begins(at(0), 0);
    clock.batch_ended(0.01, at(1), 0);
    Row first, second;
    first.status = second.status = Status::ok;
    clock.judge(first);
    clock.judge(second);
    CHECK(first.status == Status::suspicious);
    CHECK(second.status == Status::ok);
}
