// What a plugin that is right may still do wrong: remember results instead of computing them, leak, go on working after
// it has returned. None of it shows in one C.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "device.h"
#include "problem.h"

namespace judge {

// Makes calls that write new inputs into the same memory first, and judges each. `call` returns the text of the
// plugin's error. A verdict other than ok says so; so does `suspicious` where `timed_ms`, what a call took when it was
// timed, is far less than the fastest of these calls, each of which is known to have done its work: then the timed ones
// did not. That is more than 3 times and 0.2 ms: cold caches and one synchronisation cost less. The problem must have
// been judged. Takes about a second at most, unless one call does.
Verdict check_on_new_inputs(Problem& problem, Device& device, const std::function<std::string()>& call, uint64_t seed,
                            std::optional<double> timed_ms);

// Makes some dozens of calls, and says what of memory, threads and descriptors grows with every one, by how much a
// call; or that threads of the plugin still work though its calls have returned. Empty if neither is so, and if one
// call takes so long (0.2 s) that dozens would be too many.
std::string check_resources(Device& device, const std::function<void()>& call);

}  // namespace judge
