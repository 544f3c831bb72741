// A loop in threads of the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

namespace judge {

// As many parts of [0, count) as there are cores, none of them empty; at least one.
inline int64_t one_part_per_core(int64_t count) {
    return std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, std::max<int64_t>(count, 1));
}

// Calls body(part, first, last) on `parts` parts of [0, count), the first in this thread and each other in one of its
// own, which has ended on return. Throws what one of them threw.
template <class Body>
void in_parallel(int64_t parts, int64_t count, Body body) {
    std::vector<std::future<void>> others;
    for (int64_t part = 1; part < parts; ++part) {
        others.push_back(std::async(std::launch::async, body, part, count * part / parts, count * (part + 1) / parts));
    }
    body(0, 0, count / parts);
    for (std::future<void>& other : others) other.get();
}

}  // namespace judge
