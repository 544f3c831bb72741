// What a worker tells its parent: one JSON object a line, on a descriptor of its own, since stdout belongs to the
// plugin. A plugin that writes to that descriptor too costs no message of the worker's and makes none: every line
// begins on a new line, whatever stood before it, and with a checksum that only who knows the worker's key can write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "values/gpu_info.h"
#include "values/plugin_info.h"
#include "values/record.h"
#include "values/trial.h"

namespace judge {

// What the worker does, as far as the parent has to know: a worker that dies before it is `checking` has reached no
// shape.
enum class Activity { loading, starting_device, checking, timing };

// What it does next. Any message restarts the parent's deadline; this one is sent before everything that may take long.
struct Phase {
    Activity activity = Activity::loading;
    std::string text;  // for people: "checking 512x512x512"
};

// Around a batch that is timed; `seconds` is what it took by the worker's clock, `calls` how many it had.
struct BatchBegins {};
struct BatchEnded {
    double seconds = 0;
    bool of_baseline = false;
    int calls = 1;
};

// This process can judge no more, since the device is unusable, or since a trial failed, which may have spoiled it:
// what is left needs a new worker.
struct Lost {};

// Everything was said. Without it the worker failed, whatever its exit status.
struct Done {};

// GpuInfo is the answer to a Job of kind probe, PluginInfo that of inspect; a Row is what was found at a shape, or that
// none can be reached. A Trial comes before its call, as crashed, and again after it.
using Message = std::variant<Phase, GpuInfo, PluginInfo, BatchBegins, BatchEnded, Row, Trial, Lost, Done>;

// In the order of Message's alternatives; the "type" of the JSON object is the name.
enum class MessageKind { phase, gpu, info, batch_begins, batch_ended, row, trial, lost, done };

MessageKind kind_of(const Message& message);
std::string to_string(MessageKind kind);

// The exit status of a worker that cannot send any more; any number that a plugin is unlikely to end with.
constexpr int kChannelGone = 113;

// Begins and ends with a newline, and has no other. What is not UTF-8 in it is replaced.
std::string line_of(const Message& message, uint64_t key);

// Nothing if the line, without its newlines, is no message, or not one of this key.
std::optional<Message> parse_message(const std::string& line, uint64_t key);

}  // namespace judge
