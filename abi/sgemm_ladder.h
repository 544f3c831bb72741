/* sgemm_ladder.h - the plugins of this machine as a library to link with: -lsgemm_ladder.
 *
 *     cc program.c $(pkg-config --cflags --libs sgemm-ladder)
 *
 * Nothing of a plugin is needed to link. The first call looks for the best one of this machine and loads it, for the
 * life of the process; every call is handed on to it. What the arguments mean, and what a call promises, stands in
 * solve.h; here only what is not said there.
 *
 * Which plugin     90_dispatch where the matrices are in a GPU's memory; in ordinary memory 20_packed, else
 *                  90_openblas, else 90_dispatch for the emulator. Looked for in the folders that SGEMM_LADDER_PATH
 *                  lists, with a colon between two, and in their subfolders cuda, cpu and emulator; then in
 *                  sgemm-ladder/ beside this library, where make install puts them. SGEMM_LADDER_ENGINE, a file, is
 *                  taken in place of all.
 * Which memory     The program's choice, by sgemm_ladder_use. One that does not choose gets the GPU's plugin if a GPU
 *                  and that plugin are there, else one for ordinary memory; sgemm_ladder_info()->memory says which.
 * Errors           Each call returns an enum solve_result; sgemm_ladder_last_error() has the text. Without a plugin it
 *                  is SOLVE_UNSUPPORTED, and the text names the folders where none was.
 * Threads          Any thread may call. Nothing is thrown, no call ends the process.
 *
 * This header compiles as C11 and as C++11 to C++20, as solve.h does.
 */
#ifndef SGEMM_LADDER_H
#define SGEMM_LADDER_H

#include "solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on matrices are in this memory, one of enum solve_memory; 0: as for a program that does not choose. For the
 * whole process. SOLVE_UNSUPPORTED if there is no plugin for it: then the choice is what it was. */
SOLVE_API int sgemm_ladder_use(uint32_t memory);

/* C[M x K] = A[M x N] * B[N x K], row-major and contiguous: `solve`. */
SOLVE_API int sgemm_ladder_solve(const float* A, const float* B, float* C, int M, int N, int K);

/* C = alpha * A * B + beta * C on a stream: `solve_enqueue`. A library of SGEMM_LADDER_ENGINE that has `solve` alone
 * does what `solve` can, of this and the next; the rest is SOLVE_UNSUPPORTED. */
SOLVE_API int sgemm_ladder_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc,
                                   int M, int N, int K, float alpha, float beta, void* stream);

/* Any product of the BLAS: `solve_gemm`. Begin with solve_gemm_one(). */
SOLVE_API int sgemm_ladder_gemm(const solve_gemm_t* call);

/* E[M x L] = A[M x N] * B[N x K] * C[K x L]: `solve_chain`. On a GPU by 90_chain or, if that cannot be loaded,
 * 00_chain_cublas; in ordinary memory by two products, in the order that takes fewer multiply-adds. */
SOLVE_API int sgemm_ladder_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L);

/* E = alpha * A * B * C + beta * E: `solve_chain_enqueue`, by the same. Begin with solve_chain_one(). */
SOLVE_API int sgemm_ladder_chain_enqueue(const solve_chain_t* call);

/* What the plugin says of itself; null if there is none, or if it says nothing. No error is recorded for the latter.
 * Use a field if `size` covers it. */
SOLVE_API const solve_info_t* sgemm_ladder_info(void);

/* The plugin's file; null if there is none. */
SOLVE_API const char* sgemm_ladder_path(void);

/* What went wrong in this thread's last call of the functions above, as one line, or null if nothing did. The text
 * stays until the thread's next call. */
SOLVE_API const char* sgemm_ladder_last_error(void);

#ifdef __cplusplus
}
#endif

#endif /* SGEMM_LADDER_H */
