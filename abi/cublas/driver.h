// Functions of the driver's interface, so that it does not matter which CUDA runtime the program has, and where.
#pragma once

#include <dlfcn.h>

namespace drop_in {

// Null where the program has not loaded the driver, or that has none of this name.
template <class Function>
Function* driver_function(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

}  // namespace drop_in
