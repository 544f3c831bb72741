// Judges whether a plugin's own threads race with each other.
#pragma once

#include <string>

#include "checks/probes.h"

namespace judge {

// Products whose rows or columns several threads share, each made with one of the threads held up, by a handler of
// signals, where it first touches an input, or first writes to C; until all others are at rest. A thread that adds to C
// without a lock then stores a sum that is out of date, and one that uses what another thread should have prepared
// finds it unprepared. In host memory, for a plugin that is right otherwise; where one thread does all the work it is
// called only once. `wrong` is in one line; empty if nothing is, or if that is not known. Returns whether the check
// came to an end: calls in copies of the process do not where a library has started threads when it was loaded. The
// plugin must not have been called before (process_copy.h).
bool check_with_held_threads(const Multiply& multiply, std::string& wrong);

}  // namespace judge
