// What the driver's management library tells of a GPU: its version, and how hot and how fast the GPU is running.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace judge {

// A reading, taken in a fraction of a millisecond.
struct GpuHealth {
    double sm_mhz = 0;
    double power_w = 0;
    double temperature_c = 0;
    uint64_t slowed_by = 0;  // bits of nvmlClocksThrottleReasons
};

// The reasons that hold a clock down, in words; idleness and clocks that somebody set are none.
std::vector<std::string> slowdowns(uint64_t slowed_by);

// The library comes with the driver and is opened at run time; where it is absent, nothing is known.
class Nvml {
  public:
    Nvml();
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    std::optional<std::string> driver_version() const;

    // What connects the GPU with this UUID: "PCIe 5.0 x16, 18 NVLinks". Empty where nothing is known.
    std::string links(const std::string& uuid) const;

    // Of the GPU with this UUID, as CUDA prints it: GPU-01234567-89ab-....
    std::optional<GpuHealth> health(const std::string& uuid) const;

  private:
    void* library_ = nullptr;  // null also where it does not start
};

}  // namespace judge
