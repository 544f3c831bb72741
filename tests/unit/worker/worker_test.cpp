#include "host/worker/worker.h"

#include <poll.h>
#include <sys/socket.h>

#include "host/base/handover.h"
#include "host/checks/general_trials.h"
#include "host/values/json.h"
#include "tests/unit/worker/work.h"

using namespace judge;
using namespace unit;

TEST_CASE("a worker loads its plugin, and waits until it may touch the device") {
    const TemporaryDirectory directory;
    int channel[2], go[2];
    REQUIRE(pipe(channel) == 0);
    REQUIRE(pipe(go) == 0);
    Job job = judging(compile_library(directory / "10_right.so", kRightSolve), {{2, 3, 4}});
    job.channel = channel[1];
    job.go = go[0];
    std::fflush(nullptr);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        close(channel[0]);
        close(go[1]);
        run_worker(Json(job).dump());
    }
    close(channel[1]);
    const auto heard_within = [&](int ms) {  // of the message before
        std::string received;
        char buffer[4096];
        for (pollfd end{channel[0], POLLIN, 0}; poll(&end, 1, ms) > 0;) {
            const ssize_t count = read(channel[0], buffer, sizeof(buffer));
            if (count <= 0) break;
            received.append(buffer, size_t(count));
        }
        return received;
    };
    const std::string before = heard_within(300);
    CHECK(before.find("loading") != std::string::npos);
    CHECK(before.find("starting") == std::string::npos);
    close(go[1]);
    const std::string after = heard_within(20'000);
    CHECK(after.find("starting the device") != std::string::npos);
    CHECK(after.find("done") != std::string::npos);
    waitpid(child, nullptr, 0);
    for (const int end : {channel[0], go[0]}) close(end);
}

TEST_CASE("a worker that stands by is told its job later, and the file to load") {
    const TemporaryDirectory directory;
    int go[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, go) == 0);
    Job standby;
    standby.kind = Job::Kind::standby;
    standby.go = go[1];
    const auto plugin = compile_library(directory / "10_right.so", kRightSolve);
    Job job = judging("/no/such/file.so", {{2, 3, 4}});
    job.baseline_copy = -1;
    job.copy = open(plugin.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(hand_over(go[0], Json(job).dump(), {job.copy}));
    close(job.copy);
    const Outcome outcome = work(standby);
    CHECK(outcome.done());
    CHECK(to_string(outcome.only_row().status) == "ok");

    close(go[0]);
    const Outcome unwanted = work(standby);
    CHECK(unwanted.messages.empty());
    CHECK(unwanted.status == 0);
    close(go[1]);
}

TEST_CASE("a worker judges a plugin at each shape, says what it does, and is done") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "10_right.so", kRightSolve);
    const Outcome outcome = work(judging(plugin, {{5, 6, 7}, {0, 3, 2}}));
    CHECK(outcome.done());
    CHECK(outcome.status == 0);
    const auto rows = outcome.all<Row>();
    REQUIRE(rows.size() == 2);
    const Row row = rows[0];
    CHECK(row.plugin == "10_right");
    CHECK(row.path == plugin.string());
    CHECK(row.device == Target::cpu);
    CHECK(row.arithmetic == "FP32");
    CHECK(row.shape == "5x6x7");
    CHECK(to_string(row.status) == "ok");
    CHECK(row.message == "");
    CHECK(row.rho);
    CHECK(row.max_error);
    CHECK(row.bound == 6.0);
    CHECK(row.precision == "FP32");
    CHECK(row.evidence->at("input_bits") == 24);
    CHECK(row.deterministic == true);
    CHECK(row.allclose == true);
    CHECK(row.normwise.value() < 1e-6);
    CHECK(row.time_ms.empty());
    CHECK(!row.median_ms);
    CHECK(rows[1].shape == "0x3x2");
    CHECK(to_string(rows[1].status) == "ok");
    CHECK(!rows[1].rho);

    std::vector<std::string> phases;
    std::vector<Activity> activities;
    size_t trials = 0;
    for (const Phase& phase : outcome.all<Phase>()) {
        const bool is_trial = phase.text.rfind("trying ", 0) == 0;
        trials += is_trial;
        if (is_trial) continue;
        phases.push_back(phase.text);
        activities.push_back(phase.activity);
    }
    // And that of negative sizes; null is for who reports errors.
    CHECK(trials == general_trials(Target::cpu).size() + drawn_trials(1).size() + 1);
    std::vector<Activity> expected(phases.size(), Activity::checking);
    expected[0] = Activity::loading;
    expected[1] = Activity::starting_device;
    CHECK((activities == expected));
    CHECK(phases ==
          std::vector<std::string>{
              "loading", "starting the device",
              "looking at huge sizes, at threads that are held up, at first calls, and at memory that is not got",
              "checking 5x6x7", "repeating 5x6x7", "measuring the precision", "checking exact sums at 5x6x7",
              "checking what abi/solve.h promises", "looking for leaks", "checking 0x3x2", "repeating 0x3x2"});
}

TEST_CASE("a baseline that does not load leaves the plugin timed alone", "[heavy]") {
    const TemporaryDirectory directory;
    Job job = judging(compile_library(directory / "10_right.so", kRightSolve), {{32, 32, 32}});
    job.baseline = directory / "missing.so";
    job.check_only = false;
    const Row row = work(job).only_row();
    CHECK(!row.time_ms.empty());
    CHECK(row.baseline_ms.empty());
    CHECK(row.baseline == "");
    CHECK(!row.ratio);
}

TEST_CASE("a plugin that does not load is one row without a shape") {
    const TemporaryDirectory directory;
    const Outcome outcome = work(judging(directory / "missing.so", {{1, 1, 1}, {2, 2, 2}}));
    CHECK(outcome.done());
    const Row row = outcome.only_row();
    CHECK(to_string(row.status) == "load-error");
    CHECK(row.plugin == "missing");
    CHECK(row.shape == "");
    CHECK(contains(row.message, "missing.so"));
}

TEST_CASE("a plugin of the second operator alone is unsupported") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "x.so", "extern \"C\" void solve_chain() {}");
    const Row row = work(judging(plugin, {{1, 1, 1}})).only_row();
    CHECK(to_string(row.status) == "unsupported");
    CHECK(contains(row.message, "solve_chain"));
}

TEST_CASE("a plugin that ends the process leaves a worker that was never done, whatever its exit status") {
    const TemporaryDirectory directory;
    const auto ending = [&](const char* name, const std::string& body) {
        return work(judging(
            compile_library(
                directory / name,
                "#include <cstdlib>\n#include <new>\n#include <stdexcept>\nextern \"C\" void solve() {" + body + "}"),
            {{2, 2, 2}}));
    };
    const Outcome clean_exit = ending("a.so", "std::_Exit(0);");
    CHECK(clean_exit.status == 0);
    CHECK(!clean_exit.done());
    CHECK(clean_exit.all<Row>().empty());
    int number = 0;
    for (const char* thrown : {"7", "std::bad_alloc()", "std::runtime_error(\"x\")"}) {
        CAPTURE(thrown);
        const Outcome exception =
            ending(("b" + std::to_string(++number) + ".so").c_str(), "throw " + std::string(thrown) + ";");
        CHECK(WIFSIGNALED(exception.status));
        CHECK(!exception.done());
        CHECK(exception.all<Row>().empty());
    }
}

TEST_CASE("an inspection tells what the plugin says of itself, or why it does not load") {
    const TemporaryDirectory directory;
    Job job;
    job.kind = Job::Kind::inspect;
    job.plugin = compile_library(directory / "x.so", kEmptySolve);
    const Outcome outcome = work(job);
    CHECK(outcome.done());
    REQUIRE(outcome.all<PluginInfo>().size() == 1);
    CHECK(outcome.all<PluginInfo>()[0].name == "x");

    job.plugin = directory / "missing.so";
    const Outcome failed = work(job);
    CHECK(failed.done());
    REQUIRE(failed.all<PluginInfo>().size() == 1);
    CHECK(contains(failed.all<PluginInfo>()[0].problem, "missing.so"));
}

TEST_CASE("a plugin's text that is not UTF-8 does not keep its row from being sent") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "x.so", std::string(kRightSolve) + R"(
        extern "C" const char* solve_last_error() { return "caf\xe9"; })");
    const Outcome outcome = work(judging(plugin, {{2, 2, 2}}));
    CHECK(outcome.done());
    CHECK(to_string(outcome.only_row().status) == "suspicious");
    CHECK(contains(outcome.only_row().message, "caf"));
}

TEST_CASE("a probe answers with the GPU or with the reason why there is none") {
    Job job;
    const Outcome outcome = work(job);
    CHECK(outcome.done());
    const auto answers = outcome.all<GpuInfo>();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].problem.empty() == !answers[0].name.empty());
}

TEST_CASE("what loading a plugin changes is noted", "[heavy]") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "x.so", std::string(kRightSolve) + R"(
        #include <stdlib.h>
        __attribute__((constructor)) static void load() { setenv("SET_WHILE_LOADING", "1", 1); })");
    const Row row = work(judging(plugin, {{5, 6, 7}})).only_row();
    CHECK(to_string(row.status) == "ok");
    CHECK(row.message == "loading it changes the environment variable SET_WHILE_LOADING (now 1)");
}
