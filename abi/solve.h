/* solve.h - the C interface between a matrix-multiplication plugin and whoever calls it.
 *
 * A plugin is a shared library. It must export one function, `solve`; everything else in this header is
 * optional and is looked up by name (dlsym), so a library built from somebody else's file with
 * `nvcc -shared -Xcompiler -fPIC` works unchanged, and it need not include this header.
 *
 *     C[M x K] = A[M x N] * B[N x K]
 *
 * Matrices are row-major, contiguous and FP32. NOTE THE LETTERS: N is the contraction. (BLAS texts and many
 * published kernels call the contraction K; such a kernel is right here on square matrices only.)
 *
 * Tags after each entry:
 *   [device-pointers]  the pointers are what solve_info()->memory says: device memory for a CUDA plugin,
 *                      host memory for a CPU plugin and for a CUDA plugin built for the CPU emulator.
 *                      A plugin without solve_info takes device pointers if it holds GPU code, else host pointers.
 *   [default-stream]   the work is ordered on the CUDA legacy default stream of the current device and may still
 *                      be running on return: cudaDeviceSynchronize() before reading C. On the host it has finished.
 *   [any-thread]       may be called from any thread; two calls may overlap if neither writes what the other uses.
 *   [never-throws]     no C++ exception leaves the call, and the process is not ended by it.
 *
 * Strings that a plugin returns are UTF-8, NUL-terminated, owned by the plugin, and never freed by the caller.
 *
 * This header compiles as C11 and as C++11 to C++20 with -Wall -Wextra -pedantic.
 */
#ifndef SGEMM_LADDER_SOLVE_H
#define SGEMM_LADDER_SOLVE_H

#include <stdint.h>

/* The version of this header. A library and a caller that were built with headers of one version work together,
 * whichever of the two headers is the older one; 1 is that of the first release. As long as it stays:
 *
 *   stays    the name, the parameters and the meaning of every function; the order, types and meaning of every field of
 *            a struct; the name and value of every enumerator. No function becomes one that a library must export.
 *   may come functions, which a caller looks up by name and may not find; fields at the end of the structs that begin
 *            with `size`; enumerators. A field that `size` does not cover counts as 0: not said, or not asked for. A
 *            reader assumes nothing about a bit, an arithmetic or a return code that it does not know, except that a
 *            code other than SOLVE_OK is a failure.
 *
 * Otherwise it is raised: then a caller refuses a library of a later version than its own, and may take earlier ones.
 * (tests/abi has the header of the first release, and holds today's against it.) */
#define SOLVE_ABI_VERSION 1

/* `abi/solve.map` hides every symbol but solve*; this attribute keeps these visible under -fvisibility=hidden. */
#if defined(__GNUC__)
#define SOLVE_API __attribute__((visibility("default")))
#else
#define SOLVE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Required ------------------------------------------------------------------------------------------------ */

/* C = A * B.   [device-pointers] [default-stream] [any-thread] [never-throws]
 *
 *   A   M x N, element (i, j) at A[i * N + j], read only
 *   B   N x K, element (i, j) at B[i * K + j], read only
 *   C   M x K, element (i, j) at C[i * K + j], written in full and never read: it may hold NaN on entry
 *
 * Sizes      any M, N, K >= 0. M == 0 or K == 0: nothing is written. N == 0: C is filled with zeros.
 *            M * N, N * K and M * K may pass 2^31: index with 64 bits.
 * Alignment  pointers are aligned to 4 bytes and no more is promised, so a kernel that wants 16-byte loads
 *            must check the pointers and the row lengths and have another path.
 * Overlap    No element of C is one of A or B. A and B may be the same memory.
 * Special    NaN and infinity propagate as in IEEE arithmetic on the defining sum; the order of the sum is free.
 * Errors     A negative size, or a null pointer to a matrix that has elements, is an error: nothing is written.
 *            A failed launch or allocation leaves C undefined. Either is reported by solve_last_error only.
 */
SOLVE_API void solve(const float* A, const float* B, float* C, int M, int N, int K);

/* ---- Optional: what the plugin is ---------------------------------------------------------------------------- */

/* Where the matrices live. */
enum solve_memory {
    SOLVE_MEMORY_DEVICE = 1, /* CUDA device memory of the current device */
    SOLVE_MEMORY_HOST = 2    /* ordinary memory, pageable or pinned, also where GPUs compute; C is written on return */
};

/* The arithmetic that the products and sums are done in; a caller compares speeds within one kind only. */
enum solve_arithmetic {
    SOLVE_ARITHMETIC_FP32 = 1,          /* every product and sum in IEEE single precision, fused or not */
    SOLVE_ARITHMETIC_FP32_EMULATED = 2, /* as accurate as FP32, built from several narrower products */
    SOLVE_ARITHMETIC_TF32 = 3,          /* operands rounded to 11 significant bits, sums in single precision */
    SOLVE_ARITHMETIC_FP16 = 4,          /* operands rounded to half precision */
    SOLVE_ARITHMETIC_BF16 = 5           /* operands rounded to bfloat16 */
};

/* Bits of solve_info_t::entries: which functions of this header the library exports. */
enum solve_entry {
    SOLVE_ENTRY_SOLVE = 1,
    SOLVE_ENTRY_LAST_ERROR = 2,
    SOLVE_ENTRY_ENQUEUE = 4,
    SOLVE_ENTRY_CHAIN = 8,
    SOLVE_ENTRY_GEMM = 16,
    SOLVE_ENTRY_CHAIN_ENQUEUE = 32
};

/* Bits of solve_info_t::flags. */
enum solve_flag {
    SOLVE_FLAG_BASELINE = 1, /* a vendor's or BLAS library behind this interface: what others are raced against */
    SOLVE_FLAG_EMULATED = 2  /* GPU code executed by the CPU emulator: right, but its time means nothing */
};

/* Describes the library. Constant for the life of the process. Fields are only ever added at the end: a reader
 * uses a field when `size` covers it. */
typedef struct solve_info_t {
    uint32_t size;        /* sizeof(solve_info_t) when the plugin was built, in bytes */
    uint32_t abi_version; /* SOLVE_ABI_VERSION when the plugin was built */
    const char* name;     /* short name; the file's stem where the plugin does not know better, or null */
    const char* summary;  /* one line: what this kernel does; never null */
    const char* source;   /* where the technique comes from; never null */
    uint32_t memory;      /* one of enum solve_memory */
    uint32_t arithmetic;  /* of solve in this process: one of enum solve_arithmetic, or 0: not said */
    uint32_t minimum_compute_capability; /* 10 * major + minor: 75 for sm_75; 0 where no GPU is needed */
    uint32_t entries;                    /* bits of enum solve_entry */
    uint32_t flags;                      /* bits of enum solve_flag */
} solve_info_t;

/* Returns the description; never null. Touches no device.   [any-thread] [never-throws] */
SOLVE_API const solve_info_t* solve_info(void);

/* ---- Optional: errors ---------------------------------------------------------------------------------------- */

/* What went wrong in this library's most recent call on the calling thread, as one line that names the cause, or
 * null if that call found no error. The text stays valid until the next call into the library on this thread.
 *
 * Why it exists: nvcc links the CUDA runtime statically, so a plugin's failed launch is invisible to its host,
 * whose own cudaGetLastError() says cudaSuccess; only an untouched C would tell. Faults that a kernel meets while
 * it runs (an illegal address) come later, at the next synchronisation.   [any-thread] [never-throws] */
SOLVE_API const char* solve_last_error(void);

/* ---- Optional: the full GEMM --------------------------------------------------------------------------------- */

/* Return codes of solve_enqueue, solve_gemm and solve_chain_enqueue; solve_last_error has the text. */
enum solve_result {
    SOLVE_OK = 0,
    SOLVE_INVALID_ARGUMENT = 1, /* a negative size, a short leading dimension, a null pointer: nothing is written */
    SOLVE_UNSUPPORTED = 2,      /* this library or this device cannot do it: nothing is written */
    SOLVE_DEVICE_ERROR = 3      /* a launch or an allocation failed: C is undefined */
};

/* C = alpha * A * B + beta * C, enqueued on a stream.   [device-pointers] [any-thread] [never-throws]
 *
 *   A   M x N, element (i, j) at A[i * lda + j], lda >= N
 *   B   N x K, element (i, j) at B[i * ldb + j], ldb >= K; what lies between two rows may be read, but changes nothing
 *   C   M x K, element (i, j) at C[i * ldc + j], ldc >= K; elements past column K of a row are left alone
 *
 *   stream   a cudaStream_t of the current device, null for the default stream; null for a host plugin,
 *            which has finished when it returns. Work on a stream may still be running on return.
 *
 * As in the BLAS: beta == 0 does not read C (NaN there does not spread), and alpha == 0 reads neither A nor B (whose
 * pointers must not be null all the same).
 * N == 0 gives C = beta * C. Leading dimensions count elements. Everything else is as for solve.
 *
 * Graphs     the stream may be one that is being captured into a CUDA graph, in any of the three capture modes, at the
 *            first call too. Each graph has memory of its own for its calls, so graphs may be replayed concurrently.
 * Bits       the same call gives the same bits: in each run, on each stream, in a graph or not, whatever else runs;
 *            "the same" is equal sizes, leading dimensions, alignment of the pointers to 16 bytes, alpha and beta, on
 *            the same kind of device. (Only without memory for a workspace may the sum have another order.)
 * Memory     a workspace is kept for each of up to 16 streams, for further calls. cudaDeviceReset() ends the use of the
 *            library in the process. */
SOLVE_API int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                            int N, int K, float alpha, float beta, void* stream);

/* ---- Optional: every product of the BLAS --------------------------------------------------------------------- */

/* How an operand lies in memory. */
enum solve_transpose {
    SOLVE_N = 0, /* as it is used: A has M rows of N, B has N rows of K */
    SOLVE_T = 1  /* transposed: A has N rows of M, B has K rows of N */
};

/* What is added to all elements of a row, or of a column. */
enum solve_bias {
    SOLVE_BIAS_NONE = 0,
    SOLVE_BIAS_OF_ROWS = 1,   /* M elements: bias[i] to each element of row i of C */
    SOLVE_BIAS_OF_COLUMNS = 2 /* K elements: bias[j] to each element of column j of C */
};

/* One call of solve_gemm. Fields are only ever added at the end, and 0 means of each new one that nothing of the kind
 * is asked for. Fill it with zeros and set `size` first (solve_gemm_one() does), then what the call needs. */
typedef struct solve_gemm_t {
    uint32_t size; /* sizeof(solve_gemm_t) when the caller was built, in bytes */

    uint32_t transpose_a; /* one of enum solve_transpose */
    uint32_t transpose_b;

    int32_t M; /* of each product: op(A) is M x N, op(B) is N x K, C is M x K */
    int32_t N;
    int32_t K;

    int32_t batch; /* how many products of these sizes; 0: nothing is written */

    /* One of enum solve_arithmetic, the least accurate that will do. A library whose arithmetics all have a larger
     * number returns SOLVE_UNSUPPORTED; one that has several which will do takes any of these, and not always the same
     * one: it may depend on the sizes. 0: that of solve, whatever it is. */
    uint32_t accuracy;

    /* The matrices of product i, counted from 0: A + i * stride_a or, where it is not null, A_array[i]; the same for B
     * and C, each by itself. The arrays are read when the work is done, from the same memory as the matrices. A stride
     * of A or B may be 0, for a matrix that all products share; no two products may write the same element of C. */
    const float* A;
    int64_t lda; /* elements from one row in memory to the next: >= N, if A is transposed >= M */
    int64_t stride_a;
    const float* const* A_array;

    const float* B;
    int64_t ldb; /* >= K, if B is transposed >= N */
    int64_t stride_b;
    const float* const* B_array;

    float* C;
    int64_t ldc; /* >= K; elements past column K of a row are left alone */
    int64_t stride_c;
    float* const* C_array;

    float alpha;
    float beta; /* 0: C is not read */

    const float* bias; /* of product i at bias + i * stride_bias; null where there is none */
    int64_t stride_bias;
    uint32_t bias_kind; /* one of enum solve_bias */

    uint32_t reserved; /* 0; with another value the call is SOLVE_UNSUPPORTED */

    void* stream; /* as for solve_enqueue */

    /* Memory that the call may write until its work is done, aligned to 256 bytes; null and 0 for none. It is used in
     * place of the library's own if it is as large as that would be. */
    void* workspace;
    uint64_t workspace_bytes;
} solve_gemm_t;

/* The call for one product of nothing: alpha 1, beta 0, all else 0 or null. */
static inline solve_gemm_t solve_gemm_one(void) {
    solve_gemm_t call;
    unsigned char* const bytes = (unsigned char*)&call;
    uint32_t i;
    for (i = 0; i < sizeof(call); ++i) bytes[i] = 0;
    call.size = sizeof(call);
    call.batch = 1;
    call.alpha = 1.0f;
    return call;
}

/* C = alpha * op(A) * op(B) + beta * C + bias for each product of a batch, enqueued on a stream, where op(X) is X or,
 * if the call says that it lies in memory transposed, its transpose.   [device-pointers] [any-thread] [never-throws]
 *
 * Returns an enum solve_result. SOLVE_UNSUPPORTED: this library lacks something that the call asks for, or knows a
 * field that it does not (a longer struct whose further bytes are not all 0); solve_last_error names it, nothing is
 * written, and another library may do it. The struct is read before the call returns; the matrices, the bias, the
 * arrays and the workspace must stay until the work is done.
 *
 * What is not read, empty sums, graphs, equal bits for equal calls, and the library's own memory are as for
 * solve_enqueue, with the bias: N == 0 or alpha == 0 gives C = beta * C + bias. The bits of a product may depend on
 * the number of products in the call, and on its accuracy. */
SOLVE_API int solve_gemm(const solve_gemm_t* call);

/* ---- Optional: the second operator --------------------------------------------------------------------------- */

/* E[M x L] = A[M x N] * B[N x K] * C[K x L], row-major and contiguous, in either order of association.
 * A, B and C are read only, E is written in full and never read. N == 0 or K == 0 gives E = 0; M == 0 or L == 0
 * writes nothing. Otherwise as for solve; a library exports solve, or solve_chain, or both.
 * [device-pointers] [default-stream] [any-thread] [never-throws] */
SOLVE_API void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L);

/* One call of solve_chain_enqueue. As for solve_gemm_t, fields are only ever added at the end, and 0 means of each new
 * one that nothing of the kind is asked for. Fill it with zeros and set `size` first (solve_chain_one() does), then
 * what the call needs. */
typedef struct solve_chain_t {
    uint32_t size; /* sizeof(solve_chain_t) when the caller was built, in bytes */

    int32_t M; /* A is M x N, B is N x K, C is K x L, E is M x L */
    int32_t N;
    int32_t K;
    int32_t L;

    uint32_t accuracy; /* as for solve_gemm_t, of both products */

    const float* A; /* element (i, j) at A[i * lda + j] */
    int64_t lda;    /* elements from one row in memory to the next: >= N */
    const float* B;
    int64_t ldb; /* >= K */
    const float* C;
    int64_t ldc; /* >= L */
    float* E;
    int64_t lde; /* >= L; elements past column L of a row are left alone */

    float alpha;
    float beta; /* 0: E is not read */

    void* stream; /* as for solve_enqueue */

    /* As for solve_gemm_t. The library's own has room for the intermediate product, 4 * M * K or 4 * N * L bytes,
     * rounded up to a multiple of 256, and for what the two products need beside it. */
    void* workspace;
    uint64_t workspace_bytes;
} solve_chain_t;

/* The call for a chain of nothing: alpha 1, beta 0, all else 0 or null. */
static inline solve_chain_t solve_chain_one(void) {
    solve_chain_t call;
    unsigned char* const bytes = (unsigned char*)&call;
    uint32_t i;
    for (i = 0; i < sizeof(call); ++i) bytes[i] = 0;
    call.size = sizeof(call);
    call.alpha = 1.0f;
    return call;
}

/* E = alpha * A * B * C + beta * E, enqueued on a stream.   [device-pointers] [any-thread] [never-throws]
 *
 * A library that exports it exports solve_chain too, which is this call with contiguous rows, alpha 1, beta 0 and the
 * default stream: it leaves the same bits.
 *
 * Order      (A * B) * C or A * (B * C), whichever the library expects to be faster. The intermediate product has the
 *            precision of the library's arithmetic; alpha and beta count in the second product only.
 * Sizes      any M, N, K, L >= 0. M == 0 or L == 0: nothing is written. N == 0 or K == 0: E = beta * E.
 * Not read   beta == 0 does not read E, and alpha == 0 reads none of A, B and C (whose pointers must not be null all
 *            the same, where they have elements).
 * Alignment  of pointers to 4 bytes, of the workspace to 256.
 * Overlap    no element of E is one of A, B or C, which may have memory in common. What lies between two rows of A, B
 *            or C may be read, but changes nothing.
 * Errors     returns an enum solve_result. SOLVE_INVALID_ARGUMENT: a negative size, a short leading dimension, a null
 *            pointer to a matrix that has elements, an accuracy that is not in the enum, a struct shorter than this:
 *            nothing is written. SOLVE_UNSUPPORTED: as for solve_gemm. SOLVE_DEVICE_ERROR: also where there is no
 *            memory for the intermediate product.
 *
 * The struct is read before the call returns; the matrices and the workspace must stay until the work is done. Graphs,
 * equal bits for equal calls, and the library's own memory are as for solve_enqueue. */
SOLVE_API int solve_chain_enqueue(const solve_chain_t* call);

#ifdef __cplusplus
}
#endif

#endif /* SGEMM_LADDER_SOLVE_H */
