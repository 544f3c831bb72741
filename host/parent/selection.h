// Which plugins run, on which device, at which shapes, against which baseline.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/private_folder.h"
#include "library/discovery.h"
#include "parent/options.h"
#include "values/gpu_info.h"

namespace judge {

struct Selection {
    std::vector<Candidate> candidates;    // in the order of the table
    std::vector<std::string> notes;       // what was left out and why, one line each
    std::optional<GpuInfo> gpu;           // asked for if a CUDA plugin might run; `problem` says why there is none
    std::filesystem::path cuda_baseline;  // empty: race against nothing
    std::filesystem::path cpu_baseline;
    std::shared_ptr<PrivateFolder> built;  // holds the libraries of the sources; null if none was named
    std::string failure;                   // why nothing can run; empty if something can
    int failure_code = 0;                  // the exit code for it
};

// Finds the plugins (starting a worker to ask for the GPU, if need be), applies --device and --filter, and builds those
// that are sources; what the compiler says goes to stderr.
Selection select_plugins(const Options& options);

// The shapes asked for, else the device's default ones.
std::vector<Shape> shapes_for(const Options& options, Target target);

// The same by how the operands lie: those of --shapes-from, else the shapes above.
std::vector<Products> products_for(const Options& options, Target target);

}  // namespace judge
