#include "host/watch/attempt.h"

#include <cmath>

#include "host/base/text_width.h"
#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

namespace {

Row row_with(Status status, const std::string& shape, const std::string& message = "") {
    Row row;
    row.status = status;
    row.shape = shape;
    row.message = message;
    row.precision = "FP32";
    return row;
}

}  // namespace

TEST_CASE("a save's verdict is that of the shape that is timed, limited by the ragged one") {
    Attempt attempt;
    take_verdict({{}, {row_with(Status::ok, "37x29x53"), row_with(Status::ok, "256x256x256")}}, attempt);
    CHECK(attempt.status == Status::ok);
    CHECK(attempt.precision == "FP32");
    CHECK(attempt.message == "");
    take_verdict({{}, {row_with(Status::wrong, "37x29x53", "3 elements"), row_with(Status::ok, "256x256x256")}},
                 attempt);
    CHECK(attempt.status == Status::limited);
    CHECK(attempt.message == "right at 256x256x256, but wrong at 37x29x53: 3 elements");
    take_verdict({{}, {row_with(Status::ok, "37x29x53"), row_with(Status::crashed, "256x256x256", "SIGSEGV")}},
                 attempt);
    CHECK(attempt.status == Status::crashed);
    CHECK(attempt.precision == "");
    CHECK(attempt.message == "SIGSEGV");
}

TEST_CASE("a ratio by way of a third save is the product of two, and as uncertain as both together") {
    const SpeedRatio exact{1.5, Interval{1.5, 1.5}}, measured{1.1, Interval{1.1 * 0.98, 1.1 * 1.02}};
    const SpeedRatio same = product(measured, {1, Interval{1, 1}});
    CHECK(same.value == measured.value);
    CHECK(std::abs(same.interval->low - measured.interval->low) < 1e-12);
    CHECK(std::abs(same.interval->high - measured.interval->high) < 1e-12);
    const SpeedRatio both = product(measured, measured);
    CHECK(std::abs(both.value - 1.21) < 1e-12);
    CHECK(std::abs(both.interval->high / both.value - 1.0284) < 1e-3);  // 2 % times the root of 2
    CHECK(std::abs(both.interval->low / both.value - 0.9718) < 1e-3);
    CHECK(!product(exact, {1.1, std::nullopt}).interval);
}

TEST_CASE("a save's line has its columns below the heading's, in 80 columns") {
    Attempt attempt;
    attempt.time = "19:22:01";
    attempt.status = Status::ok;
    attempt.precision = "FP32-emulated";
    attempt.tflops = 34.84;
    attempt.before = SpeedRatio{1.123, Interval{1.11, 1.1314}};
    attempt.best = SpeedRatio{0.98, std::nullopt};
    attempt.resources = Resources{128, 0};
    const std::string line = history_line(attempt, false), heading = history_heading();
    CHECK(line == "19:22:01 ✓ FP32-emulated     34.8 1.123 [1.110,1.131] 0.980               128");
    CHECK(heading == "time     verdict          TFLOP/s x before [95 %]     x best [95 %]       regs");
    CHECK(width(line) <= 80);
    attempt.resources->spill_bytes = 96;
    CHECK(history_line(attempt, false).ends_with("128+96B"));
    CHECK(history_line(attempt, true).find("\033[32m✓ FP32-emulated") != std::string::npos);
}

TEST_CASE("what is not right has no class and no speed; an emulated time is none") {
    Attempt attempt;
    attempt.time = "19:22:01";
    attempt.status = Status::not_written;
    CHECK(history_line(attempt, false) == "19:22:01 ✗ not-written");
    attempt.status = Status::limited;
    attempt.precision = "FP32";
    attempt.emulated = true;
    CHECK(history_line(attempt, false) == "19:22:01 ! FP32          emulated");
}

TEST_CASE("what did not compile is not built; what was built and does not load is a load error") {
    Attempt attempt;
    attempt.time = "19:22:01";
    CHECK(history_line(attempt, false) == "19:22:01 ✗ not built");
    take_verdict({{}, {row_with(Status::load_error, "", "missing symbol")}}, attempt);
    CHECK(history_line(attempt, false) == "19:22:01 ✗ load-error");
}
