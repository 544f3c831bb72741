#include "host/timing/bystanders.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "host/base/processes.h"
#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// Of a batch of the baseline that goes on until `used` is so.
template <class Condition>
std::string complaint_after(Bystanders& bystanders, Condition used) {
    bystanders.batch_begins();
    while (!used()) std::this_thread::yield();
    bystanders.batch_ended(0.01);
    return bystanders.complaint();
}

}  // namespace

TEST_CASE("threads that work while the baseline runs are told, those that sleep or are its own are not") {
    const auto before = thread_ids();
    std::atomic<bool> done = false, work = false;
    std::atomic<double> worked = 0;
    std::thread thread([&] {
        double start = thread_cpu_seconds();
        while (!done) {
            if (!work) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                start = thread_cpu_seconds();
            }
            worked = thread_cpu_seconds() - start;
        }
    });
    const auto finish = [&] {
        done = true;
        thread.join();
    };
    Bystanders asleep(false), awake(false);
    asleep.wait_until_quiet(before);
    awake.wait_until_quiet(before);
    CHECK(complaint_after(asleep, [] { return true; }) == "");
    work = true;
    const std::string complaint = complaint_after(awake, [&] { return worked > 3e-3; });
    CHECK(contains(complaint, "while the baseline ran, for 10 ms, threads or processes of the plugin used"));
    Bystanders own(false);
    own.wait_until_quiet(thread_ids());
    worked = 0;
    CHECK(complaint_after(own, [&] { return worked > 3e-3; }) == "");
    work = false;
    finish();
}

TEST_CASE("a child that works while the baseline runs is told") {
    const pid_t child = fork();
    if (child == 0) {
        for (volatile bool on = true; on;) {
        }
    }
    Bystanders bystanders(false);
    bystanders.wait_until_quiet(thread_ids());
    const double start = cpu_seconds_of_process(child);
    const std::string complaint =
        complaint_after(bystanders, [&] { return cpu_seconds_of_process(child) - start > 5e-3; });
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK(contains(complaint, "processes of the plugin used"));
}
