// Takes one plugin through all its shapes, with as many workers as that needs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "library/discovery.h"
#include "values/data.h"
#include "values/effort.h"
#include "values/gemm_form.h"
#include "values/job.h"
#include "values/message.h"
#include "values/plugin_info.h"
#include "values/precision_class.h"
#include "values/record.h"
#include "values/shape.h"

namespace judge {

struct Campaign {
    Candidate candidate;
    Operation operation = Operation::gemm;
    GemmForm form = {};  // of solve_gemm
    std::vector<Shape> shapes;
    std::vector<Shape> untimed;  // of those: judged, not timed
    uint64_t seed = 0;
    Data data = Data::uniform;
    std::optional<PrecisionClass> require;
    bool any_shape = false;
    int misalignment = 0;
    bool check_only = false;
    Effort effort = Effort::normal;
    bool pageable = false;
    bool scaling = false;
    bool host_to_host = false;
    double timeout_s = 0;            // of silence, after which the worker is killed
    std::filesystem::path baseline;  // empty: race against nothing
};

// What its first worker is to do, but for the copies that the libraries are loaded from.
Job job_of(const Campaign& campaign);

// Loads a copy of the file, so that it may be rebuilt meanwhile. Reports a row for every shape, or one row without a
// shape where the plugin cannot be loaded at all. A shape that kills its worker costs that shape only: a new worker
// goes on with the next. After a timeout the remaining shapes are reported as timed out without being run, so that a
// plugin that always hangs costs one deadline and not one per shape. `progress` is told what is done next (a
// Phase), and each BatchEnded.
void run(const Campaign& campaign, const std::function<void(const Row&)>& report_row,
         const std::function<void(const Message&)>& progress);

// What --list shows; the problem, if the plugin does not load, in the summary.
PluginInfo inspect(const Candidate& candidate, double timeout_s);

}  // namespace judge
