// The child's side: one plugin, one device, in a process that may die of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "timing/timing.h"
#include "values/precision_class.h"
#include "values/data.h"
#include "values/record.h"
#include "values/shape.h"

namespace judge {

// What a worker is to do. Travels as JSON in the argument after --worker.
struct Job {
    enum class Kind { probe, inspect, judge };

    Kind kind = Kind::probe;
    std::string plugin;  // path; not for probe
    int copy = -1;       // file descriptor of a copy to load in its place; -1 for none
    Target device = Target::cpu;
    Operation operation = Operation::gemm;  // judge
    std::vector<Shape> shapes;              // judge
    uint64_t seed = 0;                      // judge
    Data data = Data::uniform;              // judge: how the matrices are filled
    std::optional<PrecisionClass> require;  // judge: the least class that is not wrong
    bool check_only = false;                // judge: do not time
    Effort effort = Effort::normal;         // judge
    std::string baseline;                   // judge: path of the plugin to race against; empty for none
    int baseline_copy = -1;
    int channel = -1;  // file descriptor that the messages go to
    int go = -1;       // judge: one whose end the worker waits for before it touches the device; -1 for none
};

void to_json(Json& json, const Job& job);
void from_json(const Json& json, Job& job);

// A worker's messages, one JSON object a line, each with a "type":
//   phase   {text}         what it does next; each restarts the deadline
//   gpu     {...}          probe's answer, fields of GpuInfo; with "problem" if there is no GPU
//   info    {...}          what the plugin says of itself, a PluginInfo
//   batch_begins {}, batch_ended {seconds}     around a batch that is timed
//   row     {...}          a finished Row
//   lost    {}             the device is unusable: the next shape needs a new worker
//   done    {}             everything was said; without it the worker failed, whatever its exit status
//
// Does the job, writes the messages, and ends the process; by SIGABRT where the plugin throws an exception. One of the
// judge's own, such as a std::bad_alloc, makes the row unsupported, with the reason.
[[noreturn]] void run_worker(const std::string& job);

}  // namespace judge
