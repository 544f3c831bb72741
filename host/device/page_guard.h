// Pages of host memory that a plugin may not touch while it runs, or may read only. Who does is noted, and goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace judge {

struct Trespass {
    const void* address = nullptr;  // the first one
    bool wrote = false;             // else it read; on processors other than x86-64 not known of memory that is closed
};

// From here on the whole pages from `begin` on are closed, or may be read only. An access that is not allowed is noted
// by a handler of SIGSEGV, which opens the pages: what the call comes to is judged all the same. Any other fault ends
// the process as it would have done. Nothing is guarded where the system refuses, or 128 ranges are guarded already:
// returns whether they are. Of pages that were guarded from `begin` on already, in the same way, what was noted is
// forgotten; where nothing was, that takes no change of the pages.
bool guard_pages(void* begin, size_t bytes, bool readable);

// What was noted since then. The pages stay as they are.
std::optional<Trespass> trespass_on_pages(const void* begin);

// Opens the pages that were guarded from `begin` on, and says what was noted. Nothing happens if there are none.
std::optional<Trespass> unguard_pages(void* begin);

// How many bytes of memory are closed now.
int64_t closed_bytes();

}  // namespace judge
