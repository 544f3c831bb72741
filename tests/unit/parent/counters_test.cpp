// With a script in the place of ncu.
#include "host/parent/counters.h"

#include <sys/stat.h>

#include "host/base/scoped_variable.h"
#include "host/parent/measurements.h"
#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// A folder with an ncu that keeps its arguments in the file `arguments`, one a line, and then does what `body` says,
// with $log for the file that its own lines are to go to.
class FakeNcu : public TemporaryDirectory {
  public:
    explicit FakeNcu(const std::string& body) {
        write_file(ncu(), "#!/bin/sh\ncd '" + path().string() +
                              "'\nfor word; do echo \"$word\"; done > arguments\nwhile [ \"$1\" != --log-file ]; do "
                              "shift; done\nlog=$2\n" +
                              body);
        chmod(ncu().c_str(), 0700);
    }
    fs::path ncu() const { return path() / "ncu"; }
    std::string arguments() const { return read_file(path() / "arguments"); }
};

const std::string kTable =
    "printf '\"ID\",\"sm__warps_active.avg.pct_of_peak_sustained_active\"\\n\"\",\"%%\"\\n\"0\",\"62.5\"\\n' > $log\n";

Campaign campaign_at(const std::vector<Shape>& shapes) {
    Campaign campaign;
    campaign.candidate.name = "10_x";
    campaign.candidate.path = "/somewhere/10_x.so";
    campaign.candidate.target = Target::cuda;
    campaign.shapes = shapes;
    campaign.timeout_s = 60;
    return campaign;
}

// The rows of the campaign, behind one of another.
std::vector<Row> counted_rows(const Campaign& campaign) {
    std::vector<Row> rows(1);
    for (const Shape& shape : campaign.shapes) {
        rows.emplace_back();
        rows.back().plugin = campaign.candidate.name;
        rows.back().shape = to_string(shape);
        rows.back().status = Status::ok;
    }
    return rows;
}

struct Reading {
    std::vector<Row> rows;
    std::vector<std::string> complaints, begun;
};

Reading read(const fs::path& ncu, const Campaign& campaign, const std::vector<Row>& rows) {
    Reading reading{rows, {}, {}};
    CounterReader reader(ncu, [&](const std::string& text) { reading.complaints.push_back(text); });
    reader.read(campaign, reading.rows, 1, [&](const std::string& text) { reading.begun.push_back(text); });
    return reading;
}

Reading read(const fs::path& ncu, const Campaign& campaign) {
    return read(ncu, campaign, counted_rows(campaign));
}

}  // namespace

TEST_CASE("each right row of a campaign on a GPU gets the counters of a call of its own") {
    const FakeNcu fake(kTable);
    const Campaign campaign = campaign_at({{1, 2, 3}, {4, 5, 6}});
    std::vector<Row> rows = counted_rows(campaign);
    rows[1].status = Status::wrong;
    const Reading reading = read(fake.ncu(), campaign, rows);
    CHECK(reading.complaints.empty());
    CHECK(reading.begun == std::vector<std::string>{"reading counters at 4x5x6"});
    CHECK(reading.rows[2].counters.occupancy_percent == 62.5);
    CHECK(!reading.rows[2].counters.memory_percent);
    CHECK(!reading.rows[0].counters.occupancy_percent);
    CHECK(!reading.rows[1].counters.occupancy_percent);
    const std::string arguments = fake.arguments();
    CHECK(contains(arguments, "--profile-from-start\noff\n"));
    CHECK(contains(arguments, "--worker\n"));
    CHECK(contains(arguments, R"("kind":"call")"));
    CHECK(contains(arguments, R"("shapes":["4x5x6"])"));
    CHECK(contains(arguments, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"));
}

TEST_CASE("a table on stdout will do, and rows of another device are left alone") {
    const FakeNcu fake("log=/dev/stdout\n" + kTable);
    Campaign campaign = campaign_at({{1, 2, 3}});
    CHECK(read(fake.ncu(), campaign).rows[1].counters.occupancy_percent == 62.5);
    for (const Target target : {Target::cpu, Target::emulator, Target::gpus}) {
        campaign.candidate.target = target;
        const Reading none = read(fake.ncu(), campaign);
        CHECK(!none.rows[1].counters.occupancy_percent);
        CHECK(none.complaints.empty());
    }
    campaign.candidate.target = Target::cuda;
    CHECK(read({}, campaign).begun.empty());
}

TEST_CASE("a missing permission is told once, and nothing more is tried") {
    const FakeNcu fake("echo x >> tries\necho '==ERROR== ERR_NVGPUCTRPERM - no' > $log\nexit 1\n");
    const Reading reading = read(fake.ncu(), campaign_at({{1, 2, 3}, {4, 5, 6}}));
    REQUIRE(reading.complaints.size() == 1);
    CHECK(contains(reading.complaints[0], "--counters: the driver lets only root"));
    CHECK(read_file(fake / "tries") == "x\n");
    for (const Row& row : reading.rows) CHECK(!row.counters.occupancy_percent);
}

TEST_CASE("any other failure is told of each row, and changes nothing else of it") {
    const FakeNcu fake("echo 'the plugin crashed' >&2\nexit 3\n");
    const Reading reading = read(fake.ncu(), campaign_at({{1, 2, 3}, {4, 5, 6}}));
    REQUIRE(reading.complaints.size() == 2);
    CHECK(reading.complaints[0] == "--counters: 10_x at 1x2x3: ncu gave no counters: the plugin crashed");
    CHECK(reading.rows[1].status == Status::ok);
    CHECK(reading.rows[1].message == "");
}

TEST_CASE("metrics that ncu does not know are left out, and the others read") {
    const FakeNcu fake(
        "if grep -q dram__bytes.sum arguments; then\n"
        "echo '==ERROR== Failed to find metric dram__bytes.sum' > $log\nexit 1\nfi\n" +
        kTable);
    const Reading reading = read(fake.ncu(), campaign_at({{1, 2, 3}}));
    CHECK(reading.complaints.empty());
    CHECK(reading.rows[1].counters.occupancy_percent == 62.5);
    CHECK(contains(fake.arguments(), "lts__t_bytes.sum"));
}

TEST_CASE("an ncu that does not end is ended, and one that cannot be started is told") {
    Campaign campaign = campaign_at({{1, 2, 3}});
    campaign.timeout_s = 0.01;
    const FakeNcu fake("sleep 600\n");
    const Reading slow = read(fake.ncu(), campaign);
    REQUIRE(slow.complaints.size() == 1);
    CHECK(contains(slow.complaints[0], "ncu took more than 0.01 s (--timeout allows more)"));
    campaign.timeout_s = 60;
    CHECK(read(fake / "missing", campaign).complaints.size() == 1);
}

TEST_CASE("a library that was replaced since it was judged is not counted under its name") {
    const FakeNcu fake(kTable);
    Campaign campaign = campaign_at({{1, 2, 3}});
    campaign.candidate.path = compile_library(fake / "x.so", kEmptySolve);
    std::vector<Row> rows = counted_rows(campaign);
    rows[1].sha256 = "another";
    const Reading reading = read(fake.ncu(), campaign, rows);
    REQUIRE(reading.complaints.size() == 1);
    CHECK(contains(reading.complaints[0], "has changed since it was judged"));
}

TEST_CASE("ncu is found in PATH, the first of its folders that has one") {
    const FakeNcu fake("");
    const TemporaryDirectory empty;
    fs::create_directory(empty / "ncu");  // no program
    const ScopedVariable path("PATH", (empty.path().string() + ":" + fake.path().string()).c_str());
    CHECK(find_ncu() == fake.ncu());
    CHECK(find_ncu({empty.path()}).empty());
}

TEST_CASE("what a run cannot measure is a line with the reason") {
    Options options;
    Selection selection;
    const auto with = [&](Target target) {
        selection.candidates.assign(1, Candidate{});
        selection.candidates[0].target = target;
        std::string text;
        for (const std::string& line : not_measured(options, selection, {})) text += line + "\n";
        return text;
    };
    CHECK(with(Target::cpu) == "");
    options.host_to_host = true;
    CHECK(contains(with(Target::cpu), "--host-to-host: plugins for the CPU"));
    CHECK(contains(with(Target::gpus), "is the hot one"));
    CHECK(contains(with(Target::emulator), "are the CPU's, and say nothing of a GPU"));
    CHECK(with(Target::cuda) == "");
    options = {};
    options.counters = true;
    CHECK(contains(with(Target::emulator), "--counters: only a GPU has hardware counters"));
    CHECK(contains(with(Target::cuda), "cuda-nsight-compute"));
    CHECK(not_measured(options, selection, "/somewhere/ncu").empty());
    selection.gpu.emplace();
    selection.gpu->problem = "no driver";
    CHECK(contains(with(Target::cpu), "is for one: no driver"));
}
