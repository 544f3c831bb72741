// What is measured beside the time, where that is asked for: with copies, and by the hardware's counters.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;
using test::kBuild;
using test::kCompare;

}  // namespace

TEST_CASE("from host to host an emulated row has the CPU's times, and a row of the CPU says why it has none") {
    const test::TemporaryDirectory directory;
    const std::string json = (directory / "rows.json").string();
    const auto result =
        test::run(kCompare + " --shape 33 --quick --host-to-host --counters --columns h2h,h2h-kernel " + kBuild +
                  "/plugins/emulator/10_naive.so " + kBuild + "/bad_plugins/control_correct.so --json " + json);
    INFO(result.err);
    CHECK(result.exit_code == 0);  // whatever could not be measured
    CHECK(contains(result.out, "s emulated"));
    CHECK(contains(result.err, "the times of emulated rows are the CPU's"));
    CHECK(contains(result.err, "their time from host to host is the hot one"));
    CHECK(contains(result.err, "--counters: only a GPU has hardware counters"));
    const auto rows = nlohmann::json::parse(test::read_file(json)).at("rows");
    REQUIRE(rows.size() == 2);
    for (const auto& row : rows) {
        const bool emulated = row.at("device") == "emulator";
        CHECK(row.at("pageable_ms").is_number() == emulated);
        CHECK(row.at("pageable_kernel_ms").is_number() == emulated);
        CHECK(row.at("pinned_ms").is_null());
        CHECK(row.at("occupancy_percent").is_null());
    }
}
