// What every plugin exports besides its kernel: its description and the text of its last error.
// No CUDA here; CUDA plugins include launch.h, which includes this.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "../../../abi/solve.h"

namespace ladder {

// The error of this thread's most recent call; empty means none. A fixed buffer, because reporting
// an out-of-memory error must not allocate.
inline char* error_text() {
    static thread_local char text[512] = "";
    return text;
}

inline void clear_error() {
    error_text()[0] = '\0';
}

__attribute__((format(printf, 1, 2))) inline void fail(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(error_text(), 512, format, arguments);
    va_end(arguments);
}

// Records what is wrong with the arguments of solve and returns false, or returns true.
inline bool valid(const float* A, const float* B, const float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) {
        fail("negative size: M = %d, N = %d, K = %d", M, N, K);
        return false;
    }
    const bool a_missing = A == nullptr && M > 0 && N > 0;
    const bool b_missing = B == nullptr && N > 0 && K > 0;
    const bool c_missing = C == nullptr && M > 0 && K > 0;
    if (a_missing || b_missing || c_missing) {
        fail("null pointer: %s", a_missing ? "A" : b_missing ? "B" : "C");
        return false;
    }
    return true;
}

// The same for the leading dimensions of solve_enqueue. A matrix without rows has none that matters.
inline bool valid_leading(int64_t lda, int64_t ldb, int64_t ldc, int M, int N, int K) {
    if (M > 0 && lda < N) return fail("lda = %lld is less than N = %d", static_cast<long long>(lda), N), false;
    if (N > 0 && ldb < K) return fail("ldb = %lld is less than K = %d", static_cast<long long>(ldb), K), false;
    if (M > 0 && ldc < K) return fail("ldc = %lld is less than K = %d", static_cast<long long>(ldc), K), false;
    return true;
}

// What a plugin says of itself; describe() fills in the rest of solve_info_t.
struct Description {
    const char* summary;
    const char* source;
    uint32_t arithmetic = SOLVE_ARITHMETIC_FP32;
    uint32_t minimum_compute_capability = 50;
    uint32_t flags = 0;
    // Of `solve` in this process, where the environment decides on it; `arithmetic` is the most accurate there is then.
    uint32_t (*arithmetic_of_process)() = nullptr;
    uint32_t entries = SOLVE_ENTRY_SOLVE;
};

#ifdef SOLVE_EMULATOR
constexpr uint32_t kBuildFlags = SOLVE_FLAG_EMULATED;
#else
constexpr uint32_t kBuildFlags = 0;
#endif

inline solve_info_t describe(const Description& plugin, const char* name, uint32_t memory) {
    const bool on_gpu = memory == SOLVE_MEMORY_DEVICE;
    return {sizeof(solve_info_t),
            SOLVE_ABI_VERSION,
            name,
            plugin.summary,
            plugin.source,
            memory,
            plugin.arithmetic_of_process ? plugin.arithmetic_of_process() : plugin.arithmetic,
            on_gpu ? plugin.minimum_compute_capability : 0,
            plugin.entries | SOLVE_ENTRY_LAST_ERROR,
            plugin.flags | kBuildFlags};
}

}  // namespace ladder

// The Makefile passes the file's stem, so that no source repeats its own name.
#ifndef PLUGIN_NAME
#define PLUGIN_NAME nullptr
#endif

// Its arguments in the file that is compiled, nothing in a file that another includes: so a rung can use another one's
// kernels, and a test those of any rung, without exporting what it exports.
#define SOLVE_IF_COMPILED(...) SOLVE_PASTE(SOLVE_AT_LEVEL_, __INCLUDE_LEVEL__)(__VA_ARGS__)
#define SOLVE_PASTE(a, b) SOLVE_PASTE_EXPANDED(a, b)
#define SOLVE_PASTE_EXPANDED(a, b) a##b
#define SOLVE_AT_LEVEL_0(...) __VA_ARGS__
#define SOLVE_AT_LEVEL_1(...)
#define SOLVE_AT_LEVEL_2(...)
#define SOLVE_AT_LEVEL_3(...)
#define SOLVE_AT_LEVEL_4(...)
#define SOLVE_AT_LEVEL_5(...)
#define SOLVE_AT_LEVEL_6(...)
#define SOLVE_AT_LEVEL_7(...)
#define SOLVE_AT_LEVEL_8(...)
#define SOLVE_AT_LEVEL_9(...)
#define SOLVE_AT_LEVEL_10(...)
#define SOLVE_AT_LEVEL_11(...)
#define SOLVE_AT_LEVEL_12(...)
#define SOLVE_AT_LEVEL_13(...)

// Exports solve_info and solve_last_error; the arguments after the first are those of a Description.
#define SOLVE_DESCRIBE_IN(memory, ...)                                                             \
    static constexpr ladder::Description solve_description{__VA_ARGS__};                           \
    extern "C" const solve_info_t* solve_info() {                                                  \
        static const solve_info_t info = ladder::describe(solve_description, PLUGIN_NAME, memory); \
        return &info;                                                                              \
    }                                                                                              \
    extern "C" const char* solve_last_error() {                                                    \
        return ladder::error_text()[0] ? ladder::error_text() : nullptr;                           \
    }

// Marks a library that others are raced against, where a reader finds it without loading the file.
#define SOLVE_BASELINE_MARK \
    __attribute__((section(".solve.baseline"), used)) static const char solve_baseline_mark[] = "baseline";
