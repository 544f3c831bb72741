// How much memory there is before the system ends a process for want of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace judge {

// Bytes: what is available on the machine, or what the control groups (versions 1 and 2) of this process leave of their
// limits, where that is less. An allocation tells nothing of it: memory is found missing when it is written to. Nothing
// where neither is known. `root` is what a test has in place of "/".
std::optional<uint64_t> available_memory(const std::filesystem::path& root = "/");

}  // namespace judge
