// Calls of a plugin on matrices that are address space alone, in a copy of the process that ends with the call: what it
// does at sizes that no memory holds is seen as far as it comes in a moment.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace judge {

// Said of the first launch of a kernel in the emulator, in place of the number of a matrix.
constexpr int kAtLaunch = -1;

// Told where the call touches a page for the first time: of which matrix, counted from 0, and which element, from
// -2^31 on and past the end. Called by a handler of signals, in any of the call's threads. Whether the call goes on; if
// not, the copy ends there.
using Touched = std::function<bool(int matrix, int64_t element)>;

struct ReservedCall {
    std::vector<int64_t> elements;  // of each matrix
    std::function<void(const std::vector<float*>&)> call;
    Touched touched;
    bool stops_at_launch = false;  // in the emulator a launch is told, and not executed
    int milliseconds = 50;         // of CPU time, that it may take
};

// Makes the call in a copy of this process (process_copy.h), where its matrices read as zeros. Whether it came to an
// end by itself or because touched() said so; false too where there is no such address space.
bool make_reserved_call(const ReservedCall& call);

}  // namespace judge
