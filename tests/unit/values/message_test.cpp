#include "host/values/message.h"

#include <fmt/format.h>

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
    Trial trial;
    trial.shape = {5, 0, 7};
    return {Phase{Activity::checking, "checking 1x2x3"},
            gpu,
            info,
            BatchBegins{},
            BatchEnded{0.02},
            row,
            trial,
            Lost{},
            Done{}};
}

constexpr uint64_t kKey = 0x123456789abcdef;

// The line of a message without its newlines.
std::string text_of(const Message& message) {
    const std::string line = line_of(message, kKey);
    return line.substr(1, line.size() - 2);
}

Message through_text(const Message& message) {
    return parse_message(text_of(message), kKey).value();
}

// As a plugin would have to write it.
std::string signed_line(const std::string& json, uint64_t key) {
    uint64_t hash = key ^ 0xcbf29ce484222325;
    for (const unsigned char byte : json) hash = (hash ^ byte) * 0x100000001b3;
    return fmt::format("{:016x} {}", hash, json);
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
    CHECK(names == "phase gpu info batch_begins batch_ended row trial lost done ");
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
    CHECK(std::get<Trial>(through_text(messages[6])).shape == Shape{5, 0, 7});
    for (const Activity activity :
         {Activity::loading, Activity::starting_device, Activity::checking, Activity::timing}) {
        CHECK(std::get<Phase>(through_text(Phase{activity, ""})).activity == activity);
    }
}

TEST_CASE("a message is one line that begins on a new one, whatever text it holds") {
    const Phase phase{Activity::loading, "two\nlines of caf\xe9"};
    const std::string line = line_of(phase, kKey);
    CHECK(std::count(line.begin(), line.end(), '\n') == 2);
    CHECK(line.front() == '\n');
    CHECK(line.back() == '\n');
    CHECK(std::get<Phase>(through_text(phase)).text == "two\nlines of caf\xef\xbf\xbd");
}

TEST_CASE("a line that was damaged, or written with another key, is no message") {
    const std::string line = text_of(BatchEnded{0.25});
    REQUIRE(parse_message(line, kKey));
    CHECK(line == signed_line(R"({"seconds":0.25,"of_baseline":false,"calls":1,"type":"batch_ended"})", kKey));
    CHECK(!parse_message(line, kKey + 1));
    for (size_t at = 0; at < line.size(); ++at) {
        CAPTURE(at);
        CHECK(!parse_message(std::string(line).insert(at, 1, '7'), kKey));
        CHECK(!parse_message(std::string(line).erase(at, 1), kKey));
        std::string changed = line;
        changed[at] ^= 1;
        CHECK(!parse_message(changed, kKey));
    }
}

TEST_CASE("a line that is no message is none") {
    for (const char* line :
         {"", "hello", "{", "7", "[]", "{}", R"({"type": 7})", R"({"type": "splendid"})", R"({"type": "phase"})",
          R"({"type": "phase", "activity": "loading", "text": 7})", R"({"type": "batch_ended", "seconds": "long"})",
          R"({"type": "row"})", R"({"type": "info", "name": "x"})"}) {
        CAPTURE(line);
        CHECK(!parse_message(line, kKey));
        CHECK(!parse_message(signed_line(line, kKey), kKey));
    }
    std::string row = text_of(Row{}).substr(17);
    CHECK(parse_message(signed_line(row, kKey), kKey));
    row.replace(row.find("\"cpu\""), 5, "\"tpu\"");
    CHECK(!parse_message(signed_line(row, kKey), kKey));
}
