// What a plugin does where it gets no memory.
#pragma once

#include <string>

#include "library/plugin.h"
#include "values/gemm_form.h"
#include "values/shape.h"

namespace judge {

// Calls of the entries that compute this operation, in host memory, in copies of the process: there allocations of
// the plugin fail, of an emulated one those of device memory, all of them or one. Such a call must say that it has
// failed, or leave a C that is right, and may not end the process (abi/solve.h). Only of entries that can say so: by
// a code, or solve where the plugin has a solve_last_error. Returns what is wrong, in one line; empty if nothing is,
// or where calls in copies come to no end. The plugin must not have been called before (process_copy.h).
std::string check_failing_allocations(const Plugin& plugin, Operation operation, const GemmForm& form);

}  // namespace judge
