#include "host/watch/step.h"

#include <fstream>

#include "tests/catch.h"
#include "tests/process.h"

using namespace judge;

namespace {

Row row_with(const std::string& plugin, std::optional<double> ratio) {
    Row row;
    row.plugin = plugin;
    row.ratio = ratio;
    return row;
}

std::optional<Step> step_in(const std::string& text) {
    const test::TemporaryDirectory folder;
    std::ofstream(folder / "mine.cu") << text;
    return step_of(folder / "mine.cu");
}

}  // namespace

TEST_CASE("a step is named among the first comments of a file") {
    const auto step = step_in("// What it does.\n// step: from 20_a to 34_b\nint x;\n");
    REQUIRE(step);
    CHECK(step->from == "20_a");
    CHECK(step->to == "34_b");
    CHECK_FALSE(step_in("int x;\n// step: from 20_a to 34_b\n"));
    CHECK_FALSE(step_in("// step: from 20_a\n"));
    CHECK_FALSE(step_of("/nowhere.cu"));
}

TEST_CASE("progress on a step is the part that is won of the time between its rungs") {
    const Step step{"20_a", "34_b"};
    const auto said = [&](std::optional<double> mine, std::optional<double> goal) {
        return progress_on(step, {row_with("mine", mine), row_with("34_b", goal)}, "mine");
    };
    // 20_a takes 1, 34_b a half and this 0.8: 0.2 of 0.5 are won.
    CHECK(said(1.25, 2.0) == "40 % of the step is won: 1.25 times the speed of 20_a, 34_b has 2.00");
    CHECK(said(2.0, 2.0).starts_with("100 % of the step is won"));
    CHECK(said(0.5, 2.0) == "slower than before the step: 0.50 times the speed of 20_a, 34_b has 2.00");
    CHECK(said(1.5, 0.9) == "1.50 times the speed of 20_a, 34_b has 0.90");
    CHECK(said(std::nullopt, 2.0) == "the step from 20_a to 34_b could not be measured here");
    CHECK(progress_on(step, {}, "mine") == "the step from 20_a to 34_b could not be measured here");
}

TEST_CASE("in the emulator a step is named, and nothing is said to be won of it") {
    CHECK(not_told_by_emulator({"20_shared_tile", "34_register_4x4"}) ==
          "how much of the step from 20_shared_tile to 34_register_4x4 is won, only a GPU tells: emulated times say "
          "nothing of it");
}
