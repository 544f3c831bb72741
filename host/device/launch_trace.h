// The kernels that a call launches, and why a launch failed. A plugin's own CUDA runtime, linked statically, keeps both
// to itself; CUPTI sees what goes through it to the driver.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "values/kernel_launch.h"

namespace judge {

// The name without its parameters, demangled: "gemm<128, 8>" for void gemm<128, 8>(float const*, int).
std::string kernel_name(const std::string& mangled);

// Equal launches become one, in the order in which each first came.
std::vector<KernelLaunch> merge_equal(const std::vector<KernelLaunch>& launches);

// Of the first that failed: "launch of gemm failed: invalid argument, grid 8x8, block 32x32, 40 registers". Empty if
// none did.
std::string failed_launch(const std::vector<KernelLaunch>& launches);

// Listens by CUPTI, which comes with the CUDA Toolkit and is opened at run time, as long as this exists: every launch
// of the process then costs more, also those that are not asked for. To be made in a process that may use the GPU.
class LaunchTrace {
  public:
    LaunchTrace();
    ~LaunchTrace();
    LaunchTrace(const LaunchTrace&) = delete;
    LaunchTrace& operator=(const LaunchTrace&) = delete;

    // Makes the call, and tells what it launched; nothing where CUPTI is absent, or another tool (ncu,
    // compute-sanitizer) has it. Of a CUDA graph, the kernels are told when it is captured, not when it is launched.
    std::optional<std::vector<KernelLaunch>> launches_of(const std::function<void()>& call);

  private:
    bool listens_ = false;
};

}  // namespace judge
