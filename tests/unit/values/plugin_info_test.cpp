#include "host/values/plugin_info.h"

#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

TEST_CASE("what a plugin says of itself comes back from JSON as it was") {
    PluginInfo info;
    info.problem = "a problem";
    info.name = "40_tile128";
    info.summary = "one tile a block";
    info.source = "a book";
    info.arithmetic = "TF32";
    info.minimum_compute_capability = 80;
    info.entries = {"solve_enqueue", "solve_chain"};
    const auto back = Json::parse(Json(info).dump()).get<PluginInfo>();
    CHECK(back.problem == info.problem);
    CHECK(back.name == info.name);
    CHECK(back.summary == info.summary);
    CHECK(back.source == info.source);
    CHECK(back.arithmetic == info.arithmetic);
    CHECK(back.minimum_compute_capability == 80);
    CHECK(back.entries == info.entries);
}
