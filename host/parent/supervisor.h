// The parent's side of a worker: starts it, listens, holds it to its deadline, and leaves nothing of it running.
#pragma once

#include <functional>
#include <string>

#include "values/job.h"
#include "values/message.h"

namespace judge {

// How a worker ended. `done` is the only success: an exit status of 0 can be a plugin's own exit(0). judge_failed: no
// worker could be started, or it ended before it had said a word, and so before it touched the plugin.
struct Ending {
    enum class Kind { done, lost, crashed, timed_out, interrupted, judge_failed };
    Kind kind = Kind::crashed;
    std::string message;  // but for done and lost: signal or exit status, what it was doing, the last line it printed
};

using Listener = std::function<void(const Message&)>;

// Runs a worker to its end; throws nothing of its own. `timeout_s` is how long it may be silent. Unless the result is
// Ending::done, the worker's process group has been killed and reaped, and so have processes that left the group. A
// worker that was done is ending by itself; it is killed and reaped before the next one may touch its device, or by
// reap_last_worker().
Ending run_job(const Job& job, double timeout_s, const Listener& listen);
void reap_last_worker();

// Starts a worker for the next job before that job is known: it starts the device, which must be free, and gets the job
// from run_job(). If that job does not judge on this device, the worker is ended, as by reap_last_worker().
void start_worker_early(Target device);

// From here on Ctrl-C and other signals that would end this process end the running worker instead
// (Ending::interrupted); those that the worker itself has sent are its own crash. Processes that a worker leaves behind
// become children of this one.
void start_supervising();
bool interrupted();

}  // namespace judge
