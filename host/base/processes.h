// The threads of this process and the processes that came of it, and the CPU time that they use.
#pragma once

#include <sys/types.h>

#include <set>
#include <vector>

namespace judge {

std::set<pid_t> thread_ids();

// What this process has started, and what those have started, dead ones included that nobody has waited for.
// `adopted`: also what has been left to the parent of this process, which adopts orphans and has no other children.
std::vector<pid_t> descendants(bool adopted);

// CPU time in seconds: of all threads of this process, of the one that asks, of any one, of another process; 0 for one
// that is gone.
double process_cpu_seconds();
double thread_cpu_seconds();
double cpu_seconds_of_thread(pid_t thread);
double cpu_seconds_of_process(pid_t process);

// 'R' of a thread of this process that runs or waits for a core, 'S' of one that sleeps, as in proc(5); 0 if it is
// gone.
char state_of_thread(pid_t thread);

// Whether it has not ended: false for one that is dead, and that nobody has waited for.
bool is_alive(pid_t process);

}  // namespace judge
