#include "report/html/occupancy.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace judge::html {

namespace {

// Of one multiprocessor, from the CUDA programming guide's table of technical specifications.
struct Limits {
    int threads;
    int blocks;
    uint64_t shared_bytes;
};

constexpr int kRegisters = 65536;

std::optional<Limits> limits_of(int compute_capability) {
    constexpr uint64_t kKiB = 1024;
    switch (compute_capability) {
        case 75:
            return Limits{1024, 16, 64 * kKiB};
        case 80:
            return Limits{2048, 32, 164 * kKiB};
        case 86:
            return Limits{1536, 16, 100 * kKiB};
        case 87:
            return Limits{1536, 16, 164 * kKiB};
        case 89:
            return Limits{1536, 24, 100 * kKiB};
        case 90:
        case 100:
            return Limits{2048, 32, 228 * kKiB};
        case 120:
            return Limits{1536, 24, 100 * kKiB};
        default:
            return std::nullopt;
    }
}

template <class T>
T rounded_up(T value, T unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

std::optional<Occupancy> occupancy(const KernelLaunch& launch, int compute_capability) {
    const auto limits = limits_of(compute_capability);
    const uint64_t threads = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    if (!limits || !launch.registers || *launch.registers <= 0 || threads == 0 || threads > 1024) return std::nullopt;
    const int warps = int((threads + 31) / 32);
    // Registers are handed out to warps, 256 at a time, by four schedulers with a quarter each; from sm_80 on the
    // system takes 1 KiB of shared memory for each block.
    const int warps_by_registers = kRegisters / 4 / rounded_up(*launch.registers * 32, 256) * 4;
    const uint64_t shared = rounded_up<uint64_t>(launch.shared_bytes + (compute_capability >= 80 ? 1024 : 0),
                                                 compute_capability >= 80 ? 128 : 256);
    std::vector<std::pair<int, const char*>> most = {{warps_by_registers / warps, "registers"},
                                                     {limits->threads / 32 / warps, "threads"},
                                                     {limits->blocks, "blocks"}};
    if (shared > 0) most.insert(most.begin() + 1, {int(limits->shared_bytes / shared), "shared memory"});
    const auto least =
        std::min_element(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (least->first <= 0) return std::nullopt;
    return Occupancy{least->first, double(least->first * warps * 32) / limits->threads, least->second};
}

}  // namespace judge::html
