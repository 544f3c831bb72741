#include "values/message.h"
#include "values/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace judge {

NLOHMANN_JSON_SERIALIZE_ENUM(Activity, {{Activity::loading, "loading"},
                                        {Activity::starting_device, "starting device"},
                                        {Activity::checking, "checking"},
                                        {Activity::timing, "timing"}})

namespace {

void write(Json& json, const Phase& phase) {
    json["activity"] = phase.activity;
    json["text"] = phase.text;
}

void read(const Json& json, Phase& phase) {
    json.at("activity").get_to(phase.activity);
    json.at("text").get_to(phase.text);
}

void write(Json& json, const BatchEnded& batch) {
    json["seconds"] = batch.seconds;
    json["of_baseline"] = batch.of_baseline;
    json["calls"] = batch.calls;
}

void read(const Json& json, BatchEnded& batch) {
    json.at("seconds").get_to(batch.seconds);
    json.at("of_baseline").get_to(batch.of_baseline);
    json.at("calls").get_to(batch.calls);
}

// Not longer than the parent takes: the note of what a plugin has changed may be as long as the environment.
void write(Json& json, Row row) {
    clean(row);
    json = row;
}

// The values that other files write and read.
template <class Value>
void write(Json& json, const Value& value) {
    if constexpr (!std::is_empty_v<Value>) json = value;
}

template <class Value>
void read(const Json& json, Value& value) {
    if constexpr (!std::is_empty_v<Value>) json.get_to(value);
}

template <class Value>
Message read_message(const Json& json) {
    Value value;
    read(json, value);
    return value;
}

struct Format {
    const char* type;
    Message (*read)(const Json&);
};

// In the order of Message's alternatives.
constexpr std::array<Format, std::variant_size_v<Message>> kFormats = {{{"phase", read_message<Phase>},
                                                                        {"gpu", read_message<GpuInfo>},
                                                                        {"info", read_message<PluginInfo>},
                                                                        {"batch_begins", read_message<BatchBegins>},
                                                                        {"batch_ended", read_message<BatchEnded>},
                                                                        {"row", read_message<Row>},
                                                                        {"trial", read_message<Trial>},
                                                                        {"lost", read_message<Lost>},
                                                                        {"done", read_message<Done>}}};

// FNV-1a from the key on. It tells a line that was damaged, or written by somebody else, from one of ours; a plugin
// that wants to forge one can, since it shares the worker's memory.
std::string checksum(std::string_view text, uint64_t key) {
    uint64_t hash = key ^ 0xcbf29ce484222325;
    for (const unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3;
    return fmt::format("{:016x} ", hash);
}

}  // namespace

MessageKind kind_of(const Message& message) {
    return static_cast<MessageKind>(message.index());
}

std::string to_string(MessageKind kind) {
    return kFormats.at(static_cast<size_t>(kind)).type;
}

std::string line_of(const Message& message, uint64_t key) {
    Json json = Json::object();
    std::visit([&](const auto& value) { write(json, value); }, message);
    json["type"] = to_string(kind_of(message));
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return "\n" + checksum(text, key) + text + "\n";
}

std::optional<Message> parse_message(const std::string& line, uint64_t key) {
    const size_t begin = std::min(line.find('{'), line.size());
    const std::string text = line.substr(begin);
    if (line.substr(0, begin) != checksum(text, key)) return std::nullopt;
    try {
        const Json json = Json::parse(text);
        const std::string type = json.at("type");
        for (const Format& format : kFormats) {
            if (type == format.type) return format.read(json);
        }
    } catch (const Json::exception&) {
    } catch (const std::invalid_argument&) {  // a name that is none
    }
    return std::nullopt;
}

}  // namespace judge
