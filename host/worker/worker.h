// The child's side: one plugin, one device, in a process that may die of it.
#pragma once

#include <string>

namespace judge {

// Does the job (values/job.h, as JSON), writes the messages (values/message.h), and ends the process; by SIGABRT where
// the plugin throws an exception. One of the judge's own, such as a std::bad_alloc, is told in the row's status.
[[noreturn]] void run_worker(const std::string& job);

}  // namespace judge
