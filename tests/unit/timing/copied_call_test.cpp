#include "host/timing/copied_call.h"

#include <map>
#include <string>

#include "tests/catch.h"

using namespace judge;

namespace {

// A machine whose copies and calls take what the test says, by a clock that nothing else moves. All times are sums of
// powers of two, so that nothing is rounded.
struct FakeMachine : StreamTimes {
    double now = 64, cpu = 16;
    std::map<int, double> points;
    std::string log;
    double call_seconds = 0x1p-8;

    void record(int point) override {
        log += std::to_string(point);
        points[point] = now;
    }
    double seconds(int from, int to) const override { return points.at(to) - points.at(from); }

    CopiedCallHooks hooks(bool has_streams) {
        CopiedCallHooks hooks;
        hooks.copy_in = [this] { work('i', 0x1p-7, 0x1p-9); };
        hooks.call = [this] { work('c', call_seconds, 0x1p-10); };
        hooks.copy_out = [this] { work('o', 0x1p-9, 0x1p-11); };
        hooks.seconds = [this] { return now; };
        hooks.cpu_seconds = [this] { return cpu; };
        hooks.stream_times = has_streams ? this : nullptr;
        return hooks;
    }
    void work(char what, double seconds, double cpu_seconds) {
        log += what;
        now += seconds;
        cpu += cpu_seconds;
    }
};

constexpr double kCopies = 1e3 * (0x1p-7 + 0x1p-9), kCpu = 1e3 * (0x1p-9 + 0x1p-10 + 0x1p-11);

}  // namespace

TEST_CASE("a call with copies is timed whole, by the GPU's clock and by the CPU's") {
    FakeMachine machine;
    const CopiedCall found = time_copied_call(machine.hooks(true));
    CHECK(found.total_ms == kCopies + 1e3 * 0x1p-8);
    CHECK(found.gpu_ms == kCopies + 1e3 * 0x1p-8);
    CHECK(found.kernel_ms == 1e3 * 0x1p-8);
    CHECK(found.cpu_ms == kCpu);
    CHECK(machine.log.substr(0, 7) == "0i1c2o3");
    CHECK(machine.log.size() == 8 * 7);
}

TEST_CASE("without a GPU's clock the call is timed by the host's, and there is no GPU time") {
    FakeMachine machine;
    const CopiedCall found = time_copied_call(machine.hooks(false));
    CHECK(found.total_ms == kCopies + 1e3 * 0x1p-8);
    CHECK(!found.gpu_ms);
    CHECK(found.kernel_ms == 1e3 * 0x1p-8);
    CHECK(found.cpu_ms == kCpu);
    CHECK(machine.log.substr(0, 3) == "ico");
}

TEST_CASE("the first of several calls does not count, and long ones are not repeated") {
    FakeMachine machine;
    CopiedCallHooks hooks = machine.hooks(false);
    hooks.call = [&, first = true]() mutable {
        machine.work('c', first ? 0x1p-4 : 0x1p-8, 0);
        first = false;
    };
    CHECK(time_copied_call(hooks).kernel_ms == 1e3 * 0x1p-8);

    FakeMachine slow;
    slow.call_seconds = 2;
    CHECK(time_copied_call(slow.hooks(false)).kernel_ms == 2000.0);
    CHECK(slow.log == "ico");
}
