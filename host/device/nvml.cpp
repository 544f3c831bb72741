#include "device/nvml.h"

#include <dlfcn.h>

// Not every CUDA Toolkit installs the header of the library, which comes with the driver: without it, what is used of
// it here is declared by the same names.
#if __has_include(<nvml.h>)
#include <nvml.h>
// Some of these are deprecated since NVML 13, but older drivers lack what replaces them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#else
using nvmlReturn_t = int;
using nvmlDevice_t = struct nvmlDevice_st*;
enum nvmlClockType_t { NVML_CLOCK_SM = 1 };
enum nvmlEnableState_t { NVML_FEATURE_DISABLED = 0, NVML_FEATURE_ENABLED = 1 };
enum nvmlTemperatureSensors_t { NVML_TEMPERATURE_GPU = 0 };

constexpr nvmlReturn_t NVML_SUCCESS = 0;
constexpr unsigned NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE = 80;
constexpr unsigned long long nvmlClocksThrottleReasonSwPowerCap = 0x04, nvmlClocksThrottleReasonHwSlowdown = 0x08,
                             nvmlClocksThrottleReasonSwThermalSlowdown = 0x20,
                             nvmlClocksThrottleReasonHwThermalSlowdown = 0x40,
                             nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 0x80;

extern "C" {
nvmlReturn_t nvmlInit_v2();
nvmlReturn_t nvmlShutdown();
nvmlReturn_t nvmlSystemGetDriverVersion(char*, unsigned);
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char*, nvmlDevice_t*);
nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t, unsigned*);
nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t, unsigned*);
nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t, unsigned, nvmlEnableState_t*);
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t, nvmlClockType_t, unsigned*);
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned*);
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t, nvmlTemperatureSensors_t, unsigned*);
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t, unsigned long long*);
}
#endif

namespace judge {

namespace {

// Calls a function of the library, of the type that the header gives it; false if the library lacks it or it fails.
template <class Function, class... Arguments>
bool call(void* library, const char* name, Arguments... arguments) {
    const auto function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr && function(arguments...) == NVML_SUCCESS;
}
#define CALL(function, ...) call<decltype(function)>(library_, #function __VA_OPT__(, ) __VA_ARGS__)

}  // namespace

std::vector<std::string> slowdowns(uint64_t slowed_by) {
    constexpr struct {
        uint64_t bit;
        const char* text;
    } kReasons[] = {{nvmlClocksThrottleReasonSwPowerCap, "power limit"},
                    {nvmlClocksThrottleReasonHwSlowdown, "hardware slowdown"},
                    {nvmlClocksThrottleReasonSwThermalSlowdown, "software thermal limit"},
                    {nvmlClocksThrottleReasonHwThermalSlowdown, "hardware thermal limit"},
                    {nvmlClocksThrottleReasonHwPowerBrakeSlowdown, "power brake"}};
    std::vector<std::string> texts;
    for (const auto& reason : kReasons) {
        if (slowed_by & reason.bit) texts.push_back(reason.text);
    }
    return texts;
}

Nvml::Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ && !CALL(nvmlInit_v2)) library_ = nullptr;
}

Nvml::~Nvml() {
    if (library_) CALL(nvmlShutdown);
}

std::optional<std::string> Nvml::driver_version() const {
    char text[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = "";
    if (!library_ || !CALL(nvmlSystemGetDriverVersion, text, unsigned(sizeof(text)))) return {};
    return text;
}

// The most that the slot and the GPU can: an idle GPU has turned its link down.
std::string Nvml::links(const std::string& uuid) const {
    nvmlDevice_t device = nullptr;
    unsigned generation = 0, width = 0;
    if (!library_ || !CALL(nvmlDeviceGetHandleByUUID, uuid.c_str(), &device) ||
        !CALL(nvmlDeviceGetMaxPcieLinkGeneration, device, &generation) ||
        !CALL(nvmlDeviceGetMaxPcieLinkWidth, device, &width)) {
        return {};
    }
    constexpr unsigned kMostLinks = 18;
    unsigned links = 0;
    for (unsigned link = 0; link < kMostLinks; ++link) {
        nvmlEnableState_t state = NVML_FEATURE_DISABLED;
        links += CALL(nvmlDeviceGetNvLinkState, device, link, &state) && state == NVML_FEATURE_ENABLED;
    }
    const std::string pcie = "PCIe " + std::to_string(generation) + ".0 x" + std::to_string(width);
    return links == 0 ? pcie : pcie + ", " + std::to_string(links) + " NVLinks";
}

std::optional<GpuHealth> Nvml::health(const std::string& uuid) const {
    nvmlDevice_t device = nullptr;
    unsigned mhz = 0, milliwatts = 0, celsius = 0;
    unsigned long long slowed_by = 0;
    if (!library_ || !CALL(nvmlDeviceGetHandleByUUID, uuid.c_str(), &device) ||
        !CALL(nvmlDeviceGetClockInfo, device, NVML_CLOCK_SM, &mhz)) {
        return {};
    }
    // Some GPUs tell no power, some virtual ones no temperature: zero then.
    CALL(nvmlDeviceGetPowerUsage, device, &milliwatts);
    CALL(nvmlDeviceGetTemperature, device, NVML_TEMPERATURE_GPU, &celsius);
    CALL(nvmlDeviceGetCurrentClocksThrottleReasons, device, &slowed_by);
    return GpuHealth{double(mhz), milliwatts / 1e3, double(celsius), slowed_by};
}

}  // namespace judge
