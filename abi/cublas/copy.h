// From where the engine's matrices are to ordinary memory.
#pragma once

#include <cstddef>

namespace drop_in {

// Whether work on the stream may be waited for now: it is not being captured into a CUDA graph. Also false where the
// matrices are on a GPU and no driver is loaded.
bool can_wait_for(void* stream);

// Waits for the stream's work so far, and copies. Whether that went well.
bool copy_after(void* stream, void* to, const void* from, size_t bytes);

}  // namespace drop_in
