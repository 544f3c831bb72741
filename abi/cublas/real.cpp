#include "real.h"

#include <dlfcn.h>

#include <string>

#include "settings.h"

namespace drop_in {

void* real_function(const char* name) {
    // The next definition after ours in the order in which the program's libraries are searched.
    if (void* const next = dlsym(RTLD_NEXT, name)) return next;
    // Not in that order, but loaded: with RTLD_LOCAL, as a dependency of an extension module.
    for (const char* file : {"libcublas.so.13", "libcublasLt.so.13", "libcublas.so.12", "libcublasLt.so.12"}) {
        void* const library = dlopen(file, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        if (void* const found = library ? dlsym(library, name) : nullptr) return found;
    }
    tell(std::string("no ") + name + " behind ours: no cuBLAS 12 or 13 is loaded");
    return nullptr;
}

}  // namespace drop_in
