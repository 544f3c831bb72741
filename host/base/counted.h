// Counts in messages.
#pragma once

#include <cstdint>
#include <string>

namespace judge {

// "1 float", "3 floats", "0 floats": for nouns that take an s.
inline std::string counted(int64_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace judge
