#include "host/report/list.h"

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

struct Listed {
    std::vector<Candidate> candidates{3};
    std::vector<PluginInfo> infos{3};

    Listed() {
        candidates[0].name = "00_cublas_with_a_long_name";
        candidates[0].target = Target::cuda;
        infos[0].summary = "the vendor's library";
        infos[0].source = "its manual";
        infos[0].arithmetic = "FP32-emulated";
        infos[0].minimum_compute_capability = 90;
        candidates[1].name = "x";
        infos[1].summary = "short";
        infos[1].source = "a book";
        infos[1].arithmetic = "FP32";
        candidates[2].name = "plain";
        candidates[2].target = Target::emulator;
    }
};

}  // namespace

TEST_CASE("the list shows what each plugin says of itself, in columns") {
    const auto [candidates, infos] = Listed();
    const std::vector<std::string> lines = lines_of(format_list(candidates, infos));
    REQUIRE(lines.size() == 4);
    for (size_t i = 0; i < 2; ++i) {
        const std::string& line = lines[i + 1];
        CHECK(column_of(line, candidates[i].name) == 0);
        CHECK(column_of(line, to_string(candidates[i].target)) == column_of(lines[0], "device"));
        CHECK(column_of(line, infos[i].arithmetic) == column_of(lines[0], "arithmetic"));
        CHECK(column_of(line, infos[i].summary) == column_of(lines[0], "summary"));
        CHECK(column_of(line, infos[i].source) == column_of(lines[0], "source"));
    }
    CHECK(column_of(lines[1], "sm_90") == column_of(lines[0], "needs"));
    CHECK(!contains(lines[2], "sm_"));
    CHECK(lines[3].ends_with("emulator"));
}

TEST_CASE("the list as Markdown is a table of a line a plugin") {
    const auto [candidates, infos] = Listed();
    CHECK(format_list_as_markdown(candidates, infos) ==
          "| plugin | what it does | arithmetic | needs | source |\n"
          "|---|---|---|---|---|\n"
          "| 00_cublas_with_a_long_name | the vendor's library | FP32-emulated | sm_90 | its manual |\n"
          "| x | short | FP32 |  | a book |\n"
          "| plain |  |  |  |  |\n");
}
