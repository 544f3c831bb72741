// What nvcc says of a file's kernels (-Xptxas=-v).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace judge {

// The most of any kernel in the file.
struct Resources {
    int registers = 0;         // per thread
    uint64_t spill_bytes = 0;  // per thread

    bool operator==(const Resources&) const = default;
};

// Nothing where the messages tell no registers: an emulated build, or one that failed.
std::optional<Resources> resources_in(const std::string& messages);

// The messages without what nvcc says of resources.
std::string without_resources(const std::string& messages);

}  // namespace judge
