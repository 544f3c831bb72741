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
    std::optional<GpuInfo> gpu;           // asked for if one might be used; `problem` says why there is none
    std::filesystem::path cuda_baseline;  // empty: race against nothing
    std::filesystem::path gpus_baseline;
    std::filesystem::path cpu_baseline;

    std::filesystem::path& baseline_for(Target target) {
        return target == Target::cuda ? cuda_baseline : target == Target::gpus ? gpus_baseline : cpu_baseline;
    }
    std::shared_ptr<PrivateFolder> built;  // holds the libraries of the sources; null if none was named
    std::string failure;                   // why nothing can run; empty if something can
    int failure_code = 0;                  // the exit code for it
};

// Finds the plugins (starting a worker to ask for the GPU, if need be), applies --device and --filter, and builds those
// that are sources; what the compiler says goes to stderr.
Selection select_plugins(const Options& options);

// The UUIDs of the GPUs that it uses: the first one for CUDA plugins, all for those that work on all; sorted, so that
// no two runs wait for each other.
std::vector<std::string> gpus_to_lock(const Selection& selection);

// The shapes asked for, else the device's default ones.
std::vector<Shape> shapes_for(const Options& options, Target target);

// Those of --check-shape that are not among them: judged before them, and not timed.
std::vector<Shape> untimed_shapes_for(const Options& options, Target target);

// All of them by how the operands lie: those of --shapes-from, else the shapes above.
std::vector<Products> products_for(const Options& options, Target target);

}  // namespace judge
