// What a worker is to do. Travels as JSON in the argument after --worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "values/data.h"
#include "values/effort.h"
#include "values/gemm_form.h"
#include "values/json_fwd.h"
#include "values/precision_class.h"
#include "values/shape.h"
#include "values/target.h"
#include "values/trial.h"

namespace judge {

struct Job {
    // probe: which GPU answers? inspect: what does the plugin say of itself? judge: is it right, and how fast?
    // call: one call at the first shape, for a profiler that has started the worker and watches it. standby: start the
    // device, and wait for the job, which comes through `go`.
    enum class Kind { probe, inspect, judge, call, standby };

    Kind kind = Kind::probe;
    std::string plugin;                     // path; not for probe
    std::string named;                      // judge: the source that it was built from for this run; empty for none
    int copy = -1;                          // file descriptor of a copy to load in its place; -1 for none
    Target device = Target::cpu;            // judge, standby
    Operation operation = Operation::gemm;  // judge
    GemmForm form;                          // judge: of solve_gemm
    std::vector<Shape> shapes;              // judge
    std::vector<Shape> untimed;             // judge: of those, the ones that are not timed
    uint64_t seed = 0;                      // judge
    Data data = Data::uniform;              // judge: how the matrices are filled
    std::optional<PrecisionClass> require;  // judge: the least class that is not wrong
    bool any_shape = false;                 // judge: what is right at the shapes only, not in general, is wrong
    int misalignment = 0;                   // judge: of the matrices, in floats past a 256-byte boundary
    std::vector<Trial> trials;              // judge: those that earlier workers made
    bool explain = false;                   // judge: look for a mistake first, since an earlier worker crashed
    bool check_only = false;                // judge: do not time
    Effort effort = Effort::normal;         // judge
    bool pageable = false;                  // judge: of gpus: the matrices are not pinned
    bool scaling = false;                   // judge: of gpus: time it on one of them, too
    bool host_to_host = false;              // judge: of cuda and the emulator: time it with copies, too
    std::string baseline;                   // judge: path of the plugin to race against; empty for none
    int baseline_copy = -1;                 // as copy
    int channel = -1;                       // file descriptor that the messages go to
    uint64_t key = 0;                       // of its messages' checksums
    int go = -1;  // judge: one whose end the worker waits for before it touches the device; -1 for none. standby: above
};

void to_json(Json& json, const Job& job);
void from_json(const Json& json, Job& job);

}  // namespace judge
