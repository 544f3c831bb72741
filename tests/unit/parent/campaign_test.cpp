// What a campaign does without a worker; the rest is tested end to end.
#include "host/parent/campaign.h"

#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

namespace {

Campaign campaign_of(const std::string& problem) {
    Campaign campaign;
    campaign.candidate.name = "broken";
    campaign.candidate.path = "/somewhere/broken.so";
    campaign.candidate.target = Target::emulator;
    campaign.candidate.problem = problem;
    campaign.shapes = {{1, 2, 3}, {4, 5, 6}};
    campaign.timeout_s = 5;
    return campaign;
}

std::vector<Row> rows_of(const Campaign& campaign) {
    std::vector<Row> rows;
    run(
        campaign, [&](const Row& row) { rows.push_back(row); }, [](const Message&) {});
    return rows;
}

}  // namespace

TEST_CASE("a file that cannot be a plugin is one load error, whatever the shapes") {
    const auto rows = rows_of(campaign_of("not an ELF file"));
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].plugin == "broken");
    CHECK(rows[0].path == "/somewhere/broken.so");
    CHECK(rows[0].device == Target::emulator);
    CHECK(rows[0].shape == "");
    CHECK(to_string(rows[0].status) == "load-error");
    CHECK(rows[0].message == "not an ELF file");
}

TEST_CASE("a plugin for another device is unsupported, not a load error") {
    Campaign campaign = campaign_of("");
    campaign.candidate.unsupported = "built for --device cuda, not cpu";
    const auto rows = rows_of(campaign);
    REQUIRE(rows.size() == 1);
    CHECK(to_string(rows[0].status) == "unsupported");
}

TEST_CASE("no shapes, no rows") {
    Campaign campaign = campaign_of("");
    campaign.shapes.clear();
    CHECK(rows_of(campaign).empty());
}

TEST_CASE("a file name that is not UTF-8 costs its own rows, and no exception") {
    Campaign campaign = campaign_of("");
    campaign.candidate.path = "/somewhere/caf\xe9.so";
    std::vector<Row> rows;
    REQUIRE_NOTHROW(rows = rows_of(campaign));
    CHECK(!rows.empty());
}

TEST_CASE("the listing of a file that cannot be a plugin shows its problem") {
    const PluginInfo info = inspect(campaign_of("not an ELF file").candidate, 5);
    CHECK(info.name == "broken");
    CHECK(info.summary == "not an ELF file");
    CHECK(info.arithmetic == "");
}
