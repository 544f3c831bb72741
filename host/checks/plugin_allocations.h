// The allocations that a plugin's own code makes: counted, and made to fail. For copies of the process only
// (process_copy.h), since what is replaced stays so.
#pragma once

#include <string>

namespace judge {

// Which fail, counted from 1: the first one to fail, and whether all later ones do too.
struct FailingAllocations {
    int first = 0;  // 0: none
    bool all = false;

    std::string text() const;
};

// From here on, of a library by its handle of dlopen. False if it calls none of the functions that allocate, or cannot
// be watched.
bool watch_allocations(void* library, const FailingAllocations& which = {});
void let_allocations_pass();  // to which there is memory

int allocations_watched();
bool has_allocation_failed();  // because there was no memory, or because it was to fail

}  // namespace judge
