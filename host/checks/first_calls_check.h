// Judges what becomes of the first two calls of a process, if they are made at the same time.
#pragma once

#include <string>

#include "library/plugin.h"
#include "values/gemm_form.h"
#include "values/shape.h"

namespace judge {

// For each entry of a CPU plugin that computes this operation, in copies of the process (process_copy.h): two threads
// make a call each. In some copies the first call is held up at its first, second and so on request for memory, a
// thread or a lock, until the second call has returned: if the plugin marks its pool, table or buffer as ready before
// it is, the second call computes without it. The plugin must not have been called before. Returns what is wrong, in
// one line; empty if nothing is, or if calls one after the other do not come to an end in a copy either.
std::string check_first_calls(const Plugin& plugin, Operation operation, const GemmForm& form);

}  // namespace judge
