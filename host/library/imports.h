// The functions that a library calls of others.
#pragma once

#include <span>

namespace judge {

struct Import {
    const char* name;   // as the linker knows it
    void* replacement;  // of the same type
};

// From here on the library, a handle of dlopen, calls the replacements; other libraries go on as before. Whether there
// was any call to replace. Of one whose tables cannot be written, or that calls none of these, nothing is changed.
bool replace_imports(void* library, std::span<const Import> imports);

}  // namespace judge
