// Other states of the process and of the machine for a call, which change nothing of what is called: each is there for
// the length of a scope.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace judge {

struct Circumstance {
    std::string what;  // "on one processor"
    // Makes the call so, once. Where there is no such state, as on a machine of one processor, it is as ever.
    std::function<void(const std::function<void()>& call)> with;
    bool busy = false;  // of a busy machine; those that are, and those that are not, can be there at a time
};

// On one processor, with the environment's variables for one thread, told of an idle machine and of a busy one, beside
// threads that work, from another thread, on a stack that held something else, and where subnormals are flushed.
std::vector<Circumstance> circumstances();

}  // namespace judge
