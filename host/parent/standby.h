// A run that is started before it is known what it is to judge: `compare --standby DEVICE`, for --watch alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parent/gpu_lock.h"
#include "values/target.h"

namespace judge {

struct LateCommand {
    std::vector<std::string> words;  // of the command line; none if it is not wanted any more
    std::unique_ptr<GpuLock> lock;   // of the GPU that a worker has started; null for none
};

// Starts the first worker, which starts the device, and waits for the command line: it comes through stdin, with a zero
// behind each word. A GPU is ours meanwhile, for up to 10 s; if another run has it, no worker is started before the
// command line comes.
LateCommand stand_by(Target device);

}  // namespace judge
