// A kernel that a call launched.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace judge {

// Equal launches of a kernel in one call.
struct KernelLaunch {
    std::string name;                     // "gemm<128, 8>", without its parameters; empty where it is not known
    std::array<unsigned, 3> grid{};       // blocks: x, y, z
    std::array<unsigned, 3> block{};      // threads: x, y, z
    uint64_t shared_bytes = 0;            // per block, static and dynamic
    std::optional<int> registers;         // per thread; absent, as the next, where the driver has no such kernel
    std::optional<uint64_t> local_bytes;  // per thread: its stack, and the registers that were spilled
    std::string error;                    // why it failed; empty where it did not
    uint64_t launches = 1;

    bool operator==(const KernelLaunch&) const = default;
};

}  // namespace judge
