// The parent's side of a worker: starts it, listens, holds it to its deadline, and leaves nothing of it running.
#pragma once

#include <functional>
#include <string>

#include "values/job.h"
#include "values/message.h"

namespace judge {

// How a worker ended. `done` is the only success: an exit status of 0 can be a plugin's own exit(0).
struct Ending {
    enum class Kind { done, lost, crashed, timed_out, interrupted };
    Kind kind = Kind::crashed;
    std::string message;  // crashed, timed_out: signal or exit status, what it was doing, the last line it printed
};

using Listener = std::function<void(const Message&)>;

// Runs a worker to its end. `timeout_s` is how long it may be silent. On every way out but Ending::done the worker's
// process group has been killed and reaped, and so have processes that left the group. One that was done is ending by
// itself; it is killed and reaped before the next one may touch its device, or here:
Ending run_job(Job job, double timeout_s, const Listener& listen);
void reap_last_worker();

// From here on Ctrl-C and SIGTERM end the running worker (Ending::interrupted) instead of this process, and processes
// that a worker leaves behind become children of this one.
void start_supervising();
bool interrupted();

}  // namespace judge
