// Loads a plugin by its path and multiplies two small matrices in ordinary memory, which is what a CPU plugin takes.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    void* library = dlopen(argc == 2 ? argv[1] : "", RTLD_NOW);
    if (argc != 2 || !library) return fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: multiply LIBRARY"), 1;
    void (*solve)(const float*, const float*, float*, int, int, int);
    *(void**)&solve = dlsym(library, "solve");
    const char* (*last_error)(void);  // optional: another maker's library may lack it
    *(void**)&last_error = dlsym(library, "solve_last_error");

    const float a[2 * 3] = {1, 2, 3, 4, 5, 6}, b[3 * 2] = {1, 0, 0, 1, 1, 1};
    float c[2 * 2];
    solve(a, b, c, 2, 3, 2);
    if (last_error && last_error()) return fprintf(stderr, "%s\n", last_error()), 1;
    printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);
    return 0;
}
