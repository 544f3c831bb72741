// The GPU that CUDA plugins are judged on, for the record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "values/json_fwd.h"

namespace judge {

// `problem` says why there is none; then the rest is empty.
struct GpuInfo {
    std::string problem;
    std::string name;
    std::string uuid;            // GPU-01234567-89ab-...
    int compute_capability = 0;  // 10 * major + minor
    int multiprocessors = 0;
    int64_t memory_bytes = 0;
    double fp32_tflops = 0;          // an FFMA on every FP32 lane in every cycle at the highest clock
    double memory_gb_s = 0;          // by its memory's clock and the width of its bus
    std::vector<std::string> uuids;  // of all GPUs that are visible, this one the first
    std::string links;               // what it is connected by: "PCIe 5.0 x16, 18 NVLinks"; empty where not known
    std::string nccl;                // the version that would be used; empty where there is none
    std::string driver;              // "580.159.04", or the CUDA version that the driver supports where NVML is absent
    std::string cuda_runtime;        // "13.0"
};

void to_json(Json& json, const GpuInfo& gpu);
void from_json(const Json& json, GpuInfo& gpu);

}  // namespace judge
