// A loop in threads of the host.
#pragma once

#include <cstdint>
#include <future>
#include <vector>

namespace judge {

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
