// The command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "data.h"
#include "discovery.h"
#include "precision.h"
#include "shape.h"

namespace judge {

struct Options {
    std::vector<std::filesystem::path> paths;  // directories and libraries; empty means the built plugins
    Operation operation = Operation::gemm;
    std::vector<Shape> shapes;     // empty means the default shapes of the device
    std::optional<Target> device;  // empty means auto
    std::string filter;            // regular expression searched for in the plugin's name
    Data data = Data::uniform;
    std::optional<PrecisionClass> require;  // the least class that is not wrong; empty means any
    bool check_only = false;
    bool list = false;
    bool markdown = false;       // with list: as a Markdown table
    std::filesystem::path json;  // empty means none
    uint64_t seed = 0;
    double timeout_s = 60.0;  // for each phase of each shape: loading, checking, timing
    std::string command_line;
};

// Parses the arguments. An int in place of options is the exit code to leave with: 0 after --help, 1 after a usage
// error, whose message, naming the option, is on stderr.
std::variant<Options, int> parse_options(int argc, char** argv);

}  // namespace judge
