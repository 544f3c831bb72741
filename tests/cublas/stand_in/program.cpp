// Loads a library and has it make its calls, as Python loads an extension: program LIBRARY local|global CALLS...
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
    if (argc < 4) return std::fprintf(stderr, "usage: program LIBRARY local|global CALLS...\n"), 1;
    const int scope = std::strcmp(argv[2], "local") == 0 ? RTLD_LOCAL : RTLD_GLOBAL;
    void* const library = dlopen(argv[1], RTLD_NOW | scope);
    if (!library) return std::fprintf(stderr, "%s\n", dlerror()), 1;
    const auto make_calls = reinterpret_cast<int (*)(const char*)>(dlsym(library, "make_calls"));
    for (int i = 3; i < argc; ++i) make_calls(argv[i]);
    return 0;
}
