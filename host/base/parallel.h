// A loop in threads of the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

namespace judge {

// The cores of this process, 1 at least. Asked for once: that opens a file.
inline int64_t core_count() {
    static const int64_t count = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
    return count;
}

// As many parts of [0, count) as there are cores, but fewer where a part would have less than 2^18 operations to do, of
// which each element of [0, count) needs so many: a thread costs some 50 us. At least one, none of them empty.
inline int64_t parts_of(int64_t count, double operations_each) {
    const auto worth = static_cast<int64_t>(std::min(double(count) * operations_each / (1 << 18), 1e6));
    return std::clamp<int64_t>(worth, 1, std::clamp<int64_t>(count, 1, core_count()));
}

// Calls body(part, first, last) on `parts` parts of [0, count), the first in this thread and each other in one of its
// own, which has ended on return, or in this one, too, if there is no memory for another. Throws what one of them
// threw.
template <class Body>
void in_parallel(int64_t parts, int64_t count, Body body) {
    std::vector<std::future<void>> others;
    for (int64_t part = 1; part < parts; ++part) {
        others.push_back(std::async(std::launch::async | std::launch::deferred, body, part, count * part / parts,
                                    count * (part + 1) / parts));
    }
    body(0, 0, count / parts);
    for (std::future<void>& other : others) other.get();
}

}  // namespace judge
