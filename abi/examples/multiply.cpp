// Loads a plugin by its path, with loader.hpp, and multiplies two small matrices in ordinary memory, which is what a
// CPU plugin takes.
#include <cstdio>

#include "../loader.hpp"

int main(int argc, char** argv) try {
    if (argc != 2) throw sgemm_ladder::Error("usage: multiply LIBRARY");
    const sgemm_ladder::Plugin plugin(argv[1]);
    const float a[2 * 3] = {1, 2, 3, 4, 5, 6}, b[3 * 2] = {1, 0, 0, 1, 1, 1};
    float c[2 * 2];
    plugin.solve(a, b, c, 2, 3, 2);
    std::printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);
} catch (const sgemm_ladder::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
