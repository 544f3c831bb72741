// The command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "library/discovery.h"
#include "parent/output_options.h"
#include "parent/shapes_file.h"
#include "values/data.h"
#include "values/effort.h"
#include "values/gemm_form.h"
#include "values/precision_class.h"
#include "values/shape.h"

namespace judge {

struct Options : OutputOptions {
    std::vector<std::filesystem::path> paths;  // directories and libraries; empty means the built plugins
    Operation operation = Operation::gemm;
    GemmForm form;                    // of solve_gemm
    std::vector<Shape> shapes;        // empty means the default shapes of the device
    std::vector<Shape> check_shapes;  // before those, judged and not timed
    std::vector<Products> products;   // of --shapes-from, in place of form and shapes; empty without it
    std::optional<Target> device;     // empty means auto
    std::string filter;               // regular expression searched for in the plugin's name
    Data data = Data::uniform;
    std::optional<PrecisionClass> require;  // the least class that is not wrong; empty means any
    bool any_shape = false;                 // --require any-shape: limited is wrong
    bool allow_limited = false;             // limited is no failure
    int misalignment = 0;                   // of the matrices, in floats past a 256-byte boundary
    bool check_only = false;
    bool pageable = false;      // of gpus: the matrices are not pinned
    bool scaling = false;       // of gpus: each is timed on one of them, too
    bool host_to_host = false;  // of cuda and the emulator: each is timed with copies, too
    bool counters = false;      // of cuda: hardware counters of one call
    bool list = false;
    bool watch = false;              // the one path is a source: judge it again after every save
    std::filesystem::path baseline;  // a library to race against in place of the vendor's; empty means none
    std::filesystem::path against;   // a JSON file of an earlier run; empty means none
    double max_slowdown = 0.03;      // against it: more, as a part of 1, is a regression
    Effort effort = Effort::normal;
    uint64_t seed = 0;
    double timeout_s = 60.0;  // for each phase of each shape: loading, checking, timing
    std::string command_line;
};

// Says so on stderr, in a sentence, and where help is; returns the exit code.
int usage_error(const std::string& message, const std::string& command = "compare");

// Parses the arguments. An int in place of options is the exit code to leave with: 0 after --help, 1 after a usage
// error, whose message, naming the option, is on stderr.
std::variant<Options, int> parse_options(int argc, char** argv);

}  // namespace judge
