// Pages of host memory that a plugin may not touch while it runs, or may read only. Who does is noted, and goes on.
#pragma once

#include <cstddef>
#include <optional>

namespace judge {

struct Trespass {
    const void* address = nullptr;  // the first one
    bool wrote = false;             // else it read; on processors other than x86-64 not known of memory that is closed
};

// From here on the whole pages from `begin` on are closed, or may be read only. An access that is not allowed is noted
// by a handler of SIGSEGV, which opens the pages: what the call comes to is judged all the same. Any other fault ends
// the process as it would have done. Nothing is guarded where the system refuses, or some 60 ranges are guarded
// already.
void guard_pages(void* begin, size_t bytes, bool readable);

// Opens the pages that were guarded from `begin` on, and says what was noted. Nothing happens if there are none.
std::optional<Trespass> unguard_pages(void* begin);

}  // namespace judge
