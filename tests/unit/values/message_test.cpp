#include "host/values/message.h"

#include <algorithm>

#include "tests/catch.h"

using namespace judge;

namespace {

// One of each, in the order of the kinds.
std::vector<Message> one_of_each() {
    GpuInfo gpu;
    gpu.name = "a GPU";
    PluginInfo info;
    info.name = "40_tile128";
    Row row;
    row.shape = "1x2x3";
    return {
        Phase{Activity::checking, "checking 1x2x3"}, gpu, info, BatchBegins{}, BatchEnded{0.02}, row, Lost{}, Done{}};
}

Message through_text(const Message& message) {
    return parse_message(line_of(message)).value();
}

}  // namespace

TEST_CASE("each kind of message comes back from its line, and has a name of its own") {
    const auto messages = one_of_each();
    REQUIRE(messages.size() == std::variant_size_v<Message>);
    std::string names;
    for (size_t i = 0; i < messages.size(); ++i) {
        CHECK(kind_of(messages[i]) == static_cast<MessageKind>(i));
        CHECK(kind_of(through_text(messages[i])) == static_cast<MessageKind>(i));
        names += to_string(kind_of(messages[i])) + " ";
    }
    CHECK(names == "phase gpu info batch_begins batch_ended row lost done ");
    CHECK(kind_of(Done{}) == MessageKind::done);
}

TEST_CASE("a message comes back with what it says") {
    const auto messages = one_of_each();
    const auto phase = std::get<Phase>(through_text(messages[0]));
    CHECK(phase.activity == Activity::checking);
    CHECK(phase.text == "checking 1x2x3");
    CHECK(std::get<GpuInfo>(through_text(messages[1])).name == "a GPU");
    CHECK(std::get<PluginInfo>(through_text(messages[2])).name == "40_tile128");
    CHECK(std::get<BatchEnded>(through_text(messages[4])).seconds == 0.02);
    CHECK(std::get<Row>(through_text(messages[5])).shape == "1x2x3");
    for (const Activity activity :
         {Activity::loading, Activity::starting_device, Activity::checking, Activity::timing}) {
        CHECK(std::get<Phase>(through_text(Phase{activity, ""})).activity == activity);
    }
}

TEST_CASE("a message is one line, whatever text it holds") {
    const std::string line = line_of(Phase{Activity::loading, "two\nlines of caf\xe9"});
    CHECK(std::count(line.begin(), line.end(), '\n') == 1);
    CHECK(line.back() == '\n');
    CHECK(std::get<Phase>(parse_message(line).value()).text == "two\nlines of caf\xef\xbf\xbd");
}

TEST_CASE("a line that is no message is none") {
    for (const char* line :
         {"", "hello", "{", "7", "[]", "{}", R"({"type": 7})", R"({"type": "splendid"})", R"({"type": "phase"})",
          R"({"type": "phase", "activity": "loading", "text": 7})", R"({"type": "batch_ended", "seconds": "long"})",
          R"({"type": "row"})", R"({"type": "info", "name": "x"})"}) {
        CAPTURE(line);
        CHECK(!parse_message(line));
    }
    std::string row = line_of(Row{});
    CHECK(parse_message(row));
    row.replace(row.find("\"cpu\""), 5, "\"tpu\"");
    CHECK(!parse_message(row));
}
