// Pages of host memory that a plugin may not touch while it runs, or may read only. An access that is not allowed is
// noted, and the plugin goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace judge {

struct Trespass {
    const void* address = nullptr;  // the first one
    bool wrote = false;             // else it read; on processors other than x86-64 not known of memory that is closed
};

// From here on the whole pages from `begin` on cannot be accessed, or only be read. An access that is not allowed is
// noted by a handler of SIGSEGV, which lifts the protection, so that the result of the call can be judged all the same.
// Any other fault ends the process as it would have done. Returns whether the pages are guarded: not where the system
// refuses, or 128 ranges are guarded already. If these pages were guarded in the same way before, what was noted of
// them is forgotten; if nothing was noted, that costs no mprotect.
bool guard_pages(void* begin, size_t bytes, bool readable);

// What was noted since then. The pages stay as they are.
std::optional<Trespass> trespass_on_pages(const void* begin);

// Opens the pages that were guarded from `begin` on, and says what was noted. Nothing happens if there are none.
std::optional<Trespass> unguard_pages(void* begin);

// How many bytes of memory are closed now.
int64_t closed_bytes();

}  // namespace judge
