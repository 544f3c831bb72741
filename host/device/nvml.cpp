#include "device/nvml.h"

#include <dlfcn.h>

namespace judge {

namespace {

// From nvml.h, which not every CUDA Toolkit installs.
using NvmlDevice = void*;
constexpr int kSmClock = 1;
constexpr int kGpuTemperature = 0;

// Calls a function of the library; false if it lacks it or fails.
template <class... Parameters, class... Arguments>
bool call(void* library, const char* name, int (*)(Parameters...), Arguments... arguments) {
    const auto function = reinterpret_cast<int (*)(Parameters...)>(dlsym(library, name));
    return function != nullptr && function(arguments...) == 0;
}

using None = int (*)();
using GetText = int (*)(char*, unsigned);
using ByUuid = int (*)(const char*, NvmlDevice*);
using GetOne = int (*)(NvmlDevice, unsigned*);
using GetOneOf = int (*)(NvmlDevice, int, unsigned*);
using GetBits = int (*)(NvmlDevice, unsigned long long*);

}  // namespace

std::vector<std::string> slowdowns(uint64_t slowed_by) {
    constexpr struct {
        uint64_t bit;
        const char* text;
    } kReasons[] = {{0x04, "power limit"},
                    {0x08, "hardware slowdown"},
                    {0x20, "software thermal limit"},
                    {0x40, "hardware thermal limit"},
                    {0x80, "power brake"}};
    std::vector<std::string> texts;
    for (const auto& reason : kReasons) {
        if (slowed_by & reason.bit) texts.push_back(reason.text);
    }
    return texts;
}

Nvml::Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ && !call(library_, "nvmlInit_v2", None{})) library_ = nullptr;
}

Nvml::~Nvml() {
    if (library_) call(library_, "nvmlShutdown", None{});
}

std::optional<std::string> Nvml::driver_version() const {
    char text[80] = "";
    if (!library_ || !call(library_, "nvmlSystemGetDriverVersion", GetText{}, text, unsigned(sizeof(text)))) return {};
    return text;
}

std::optional<GpuHealth> Nvml::health(const std::string& uuid) const {
    NvmlDevice device = nullptr;
    unsigned mhz = 0, milliwatts = 0, celsius = 0;
    unsigned long long slowed_by = 0;
    if (!library_ || !call(library_, "nvmlDeviceGetHandleByUUID", ByUuid{}, uuid.c_str(), &device) ||
        !call(library_, "nvmlDeviceGetClockInfo", GetOneOf{}, device, kSmClock, &mhz)) {
        return {};
    }
    // Some GPUs tell no power, some virtual ones no temperature: zero then.
    call(library_, "nvmlDeviceGetPowerUsage", GetOne{}, device, &milliwatts);
    call(library_, "nvmlDeviceGetTemperature", GetOneOf{}, device, kGpuTemperature, &celsius);
    call(library_, "nvmlDeviceGetCurrentClocksThrottleReasons", GetBits{}, device, &slowed_by);
    return GpuHealth{double(mhz), milliwatts / 1e3, double(celsius), slowed_by};
}

}  // namespace judge
