// Judges what becomes of the first two calls of a process, if they are made at the same time.
#pragma once

#include <string>

#include "library/plugin.h"
#include "values/gemm_form.h"
#include "values/shape.h"

namespace judge {

// Of each entry of a plugin for the CPU that computes this operation, in copies of the process (process_copy.h): two
// threads make a call each. In some of them the first one is held up where it first, secondly and so on asks for
// memory, a thread or a lock, until the second one has returned: whoever says that his pool, table or buffer is there
// before it is lets that one compute without. The plugin must not have been called before. Returns what is wrong, in
// one line; empty if nothing is, or if calls one after the other do not come to an end in a copy either.
std::string check_first_calls(const Plugin& plugin, Operation operation, const GemmForm& form);

}  // namespace judge
