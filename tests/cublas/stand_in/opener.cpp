// Opens cuBLAS and looks for its functions by name, as JAX does: opener LIBRARY
#include <dlfcn.h>

#include <cstdio>

#include "abi/cublas/cublas_abi.h"

template <class Function>
static Function* find(void* library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
}

int main(int argc, char** argv) {
    void* const library = dlopen(argc > 1 ? argv[1] : "", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return std::fprintf(stderr, "%s\n", dlerror()), 1;
    cublas::Handle handle = nullptr;
    find<cublas::Create>(library, "cublasCreate_v2")(&handle);
    const float a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 1, 1}, one = 1, zero = 0;
    float c[4] = {};
    const int status =
        find<cublas::Sgemm<int>>(library, "cublasSgemm_v2")(handle, 0, 0, 2, 2, 2, &one, a, 2, b, 2, &zero, c, 2);
    std::printf("%d: %g %g %g %g, by cuBLAS %d\n", status, c[0], c[1], c[2], c[3],
                find<int()>(library, "fake_cublas_calls")());
    return 0;
}
