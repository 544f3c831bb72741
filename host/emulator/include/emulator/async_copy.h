// Copies that a thread requests, commits in groups and waits for: cp.async, __pipeline_memcpy_async, cuda::pipeline.
// They are done at the wait that covers them; until then their destinations hold NaN, so that a wait that is missing or
// too weak gives NaN and not luck.
#pragma once

#include <cstddef>

namespace emulator {

// Copies the first `from_source` of `bytes` bytes, and writes zeros to the others.
void async_copy(void* target, const void* source, size_t bytes, size_t from_source);
void async_commit();
// Waits for all groups that this thread has committed but the newest ones.
void async_wait(size_t newest);

}  // namespace emulator
