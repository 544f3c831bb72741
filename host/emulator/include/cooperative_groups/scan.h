// Scans over a group of lanes.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define EMULATOR_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

template <class Group, class T, class Operation>
T inclusive_scan(const Group& group, T value, Operation operation, EMULATOR_HERE) {
    T result = group.shfl(value, 0, file, line);
    for (unsigned i = 1; i < group.size(); ++i) {
        const T next = group.shfl(value, i, file, line);
        if (i <= group.thread_rank()) result = operation(result, next);
    }
    return result;
}
template <class Group, class T>
T inclusive_scan(const Group& group, T value, EMULATOR_HERE) {
    return inclusive_scan(group, value, plus<T>(), file, line);
}
template <class Group, class T, class Operation>
T exclusive_scan(const Group& group, T value, Operation operation, EMULATOR_HERE) {
    const T sum = inclusive_scan(group, value, operation, file, line), before = group.shfl_up(sum, 1, file, line);
    return group.thread_rank() == 0 ? T{} : before;
}
template <class Group, class T>
T exclusive_scan(const Group& group, T value, EMULATOR_HERE) {
    return exclusive_scan(group, value, plus<T>(), file, line);
}

#undef EMULATOR_HERE

}  // namespace cooperative_groups
