// The kernel writer's loop.
#pragma once

#include "parent/options.h"

namespace judge {

// Builds and judges options.paths[0] now and after every save, of it and of the headers of its own that it includes,
// until the key q or, where stdin is no terminal, its end (what is running is finished then), or a signal. Returns the
// program's exit status: 0, or 130 after a signal. Call start_supervising() before.
int watch(const Options& options);

}  // namespace judge
