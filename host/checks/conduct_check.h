// What a plugin that is right may still do wrong: remember results instead of computing them, leak, go on working after
// it has returned. None of it shows in one C.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checks/problem.h"
#include "device/device.h"
#include "values/effort.h"

namespace judge {

// Three times other inputs in the same memory, a call, and a judgement of what it left: a verdict other than ok says
// that results are remembered rather than computed. The problem must have been judged. (A race does the same around
// everything it times.)
Verdict check_on_new_inputs(Problem& problem, const std::function<CallErrors()>& call, uint64_t seed);

struct ConductTest {
    std::function<void()> call;
    std::function<void()> renew = {};                    // other inputs, before each call; may be empty
    std::function<std::vector<pid_t>()> processes = {};  // that the plugin has started; may be empty
    // Of a call on a GPU, and of the renewal: for each the driver keeps some memory of the host's.
    int launches = 0;
    Effort effort = Effort::normal;  // quick: a fifth of the calls, and a shorter look at the threads
    bool emulated = false;           // a twentieth of the calls
};

// Makes some dozens of calls, on other inputs each, and says what of memory, threads, processes, files and descriptors
// grows with every one, by how much a call; or that an alarm is set; or that threads or processes of the plugin still
// work though its calls have returned; or that a process is left behind, asleep. Empty if nothing of that is so;
// nothing if that cannot be said, since one call takes so long (0.2 s) that dozens would be too many.
std::optional<std::string> check_resources(Device& device, const ConductTest& test);

// What grows with every one of nine calls, of 4 KiB of memory in three of them on, and by how much a call; empty for
// nothing. `launches` of a call are those on a GPU, for each of which the driver keeps some memory of the host's.
std::string find_leaks_of_few_calls(Device& device, const std::function<void()>& call, int launches);

}  // namespace judge
