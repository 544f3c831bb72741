// A place in the source: of a barrier, of a loop that waits.
#pragma once

namespace emulator {

// Where a thread waits; taken from the call's default arguments, so that a fault can name the line.
struct Place {
    const char* function;
    const char* file;
    int line;
};

}  // namespace emulator
