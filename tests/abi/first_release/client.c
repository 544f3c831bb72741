/* A caller as somebody may have written it for the first release: client LIBRARY calls each entry that the library has,
 * in ordinary memory, and prints what came of it. Built with any solve.h of version 1. */
#include <dlfcn.h>
#include <stdio.h>

#include "solve.h"

static void show(const char* entry, int code, const float* c) {
    printf("%s %d: %g %g %g %g\n", entry, code, c[0], c[1], c[2], c[3]);
}

int main(int argc, char** argv) {
    void* const library = dlopen(argc == 2 ? argv[1] : "", RTLD_NOW);
    const float a[4] = {1, 2, 3, 4}, b[4] = {0, 1, 1, 0}, bias[2] = {10, 20};
    float c[4] = {1, 1, 1, 1};
    void (*solve_)(const float*, const float*, float*, int, int, int);
    const solve_info_t* (*info)(void);
    const char* (*last_error)(void);
    int (*enqueue)(const float*, int64_t, const float*, int64_t, float*, int64_t, int, int, int, float, float, void*);
    int (*gemm)(const solve_gemm_t*);
    void (*chain)(const float*, const float*, const float*, float*, int, int, int, int);
    int (*chain_enqueue)(const solve_chain_t*);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    *(void**)&solve_ = dlsym(library, "solve");
    *(void**)&info = dlsym(library, "solve_info");
    *(void**)&last_error = dlsym(library, "solve_last_error");
    *(void**)&enqueue = dlsym(library, "solve_enqueue");
    *(void**)&gemm = dlsym(library, "solve_gemm");
    *(void**)&chain = dlsym(library, "solve_chain");
    *(void**)&chain_enqueue = dlsym(library, "solve_chain_enqueue");

    if (info && info()->abi_version > SOLVE_ABI_VERSION) return fprintf(stderr, "of a later version\n"), 1;
    if (info) printf("%s: memory %u, arithmetic %u\n", info()->name, info()->memory, info()->arithmetic);
    if (solve_) solve_(a, b, c, 2, 2, 2), show("solve", last_error && last_error(), c);
    if (solve_) solve_(a, b, c, 2, -1, 2), show("negative", last_error && last_error(), c);
    if (enqueue) {
        const int code = enqueue(a, 2, b, 2, c, 2, 2, 2, 2, 2, 1, 0);
        show("enqueue", code, c);
    }
    if (gemm) {
        solve_gemm_t call = solve_gemm_one();
        int code;
        call.M = call.N = call.K = 2;
        call.A = a, call.B = b, call.C = c;
        call.lda = call.ldb = call.ldc = 2;
        call.transpose_a = SOLVE_T;
        call.bias = bias, call.bias_kind = SOLVE_BIAS_OF_COLUMNS;
        code = gemm(&call);
        show("gemm", code, c);
        call.size = 8;
        code = gemm(&call);
        show("no call", code, c);
    }
    if (chain) chain(a, b, b, c, 2, 2, 2, 2), show("chain", last_error && last_error(), c);
    if (chain_enqueue) {
        solve_chain_t call = solve_chain_one();
        int code;
        call.M = call.N = call.K = call.L = 2;
        call.A = a, call.B = b, call.C = a, call.E = c;
        call.lda = call.ldb = call.ldc = call.lde = 2;
        call.alpha = 2, call.beta = 1;
        code = chain_enqueue(&call);
        show("chain and", code, c);
    }
    return 0;
}
