// What is the same in every solve_gemm: the call is read, whatever its caller's version of solve.h, and checked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "export.h"

namespace ladder {

// What a caller of solve_gemm lends: memory that the call may write.
struct CallerMemory {
    void* data = nullptr;
    size_t bytes = 0;
};

// The matrices of product i.
#ifdef __CUDACC__
#define LADDER_ANYWHERE __host__ __device__ __forceinline__
#else
#define LADDER_ANYWHERE inline
#endif
LADDER_ANYWHERE const float* a_of(const solve_gemm_t& call, int64_t i) {
    return call.A_array ? call.A_array[i] : call.A + i * call.stride_a;
}
LADDER_ANYWHERE const float* b_of(const solve_gemm_t& call, int64_t i) {
    return call.B_array ? call.B_array[i] : call.B + i * call.stride_b;
}
LADDER_ANYWHERE float* c_of(const solve_gemm_t& call, int64_t i) {
    return call.C_array ? call.C_array[i] : call.C + i * call.stride_c;
}
// Whether these are read from memory, which the kernel before on the stream may write.
LADDER_ANYWHERE bool has_arrays(const solve_gemm_t& call) {
    return call.A_array || call.B_array || call.C_array;
}
// What is added to element (row, col) of product i.
LADDER_ANYWHERE float bias_of(const solve_gemm_t& call, int64_t i, int64_t row, int64_t col) {
    if (call.bias_kind == SOLVE_BIAS_NONE) return 0.0f;
    return call.bias[i * call.stride_bias + (call.bias_kind == SOLVE_BIAS_OF_ROWS ? row : col)];
}

// Whether the product is an empty sum: the call is then C = beta * C + bias.
inline bool is_empty_sum(const solve_gemm_t& call) {
    return call.N == 0 || call.alpha == 0.0f;
}

// The call as this version knows it: fields that an older caller lacks are 0, a newer one's further ones must be. A
// Call is a solve_gemm_t, or another sized struct of solve.h, which the text of an error names.
template <class Call>
int read_call(const Call* given, const char* name, Call& call) {
    // What a caller of the struct's first version has; its last field was this one.
    constexpr uint32_t kLeast = offsetof(Call, workspace_bytes) + sizeof(Call::workspace_bytes);
    if (given == nullptr) return fail("null pointer: the call"), SOLVE_INVALID_ARGUMENT;
    if (given->size < kLeast) {
        return fail("size = %u is less than that of any %s, %u: set it first", given->size, name, kLeast),
               SOLVE_INVALID_ARGUMENT;
    }
    const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
    if (std::any_of(bytes + sizeof(call), bytes + std::max<size_t>(given->size, sizeof(call)),
                    [](unsigned char byte) { return byte != 0; })) {
        return fail("the call has a field that this library does not know"), SOLVE_UNSUPPORTED;
    }
    call = {};
    std::memcpy(&call, given, std::min<size_t>(given->size, sizeof(call)));
    return SOLVE_OK;
}

// Records that a matrix of so many rows and columns in memory has too short a leading dimension, and returns false, or
// returns true. A matrix without rows has none that matters.
inline bool long_enough(const char* name, int64_t ld, int rows, int cols) {
    if (rows == 0 || ld >= cols) return true;
    return fail("%s = %lld is less than the %d columns in memory", name, static_cast<long long>(ld), cols), false;
}

// The same of an accuracy that is asked for and that there is not.
inline bool valid_accuracy(uint32_t accuracy) {
    if (accuracy > SOLVE_ARITHMETIC_BF16) return fail("accuracy = %u is none", accuracy), false;
    return true;
}

// SOLVE_OK if a library of that arithmetic is as accurate as is asked for.
inline int check_accuracy(uint32_t wanted, uint32_t arithmetic) {
    if (wanted == 0 || arithmetic <= wanted) return SOLVE_OK;
    return fail("its arithmetic is less accurate than what is asked for"), SOLVE_UNSUPPORTED;
}

// Records what is wrong with the enums, and with what is null.
inline bool valid_kinds(const solve_gemm_t& call) {
    if (call.transpose_a > SOLVE_T || call.transpose_b > SOLVE_T) {
        return fail("transpose_a = %u, transpose_b = %u: neither SOLVE_N nor SOLVE_T", call.transpose_a,
                    call.transpose_b),
               false;
    }
    if (call.bias_kind > SOLVE_BIAS_OF_COLUMNS) return fail("bias_kind = %u is none", call.bias_kind), false;
    if (!valid_accuracy(call.accuracy)) return false;
    if (call.batch < 0) return fail("batch = %d is negative", call.batch), false;
    if (call.bias_kind != SOLVE_BIAS_NONE && call.bias == nullptr && call.batch > 0 && call.M > 0 && call.K > 0) {
        return fail("null pointer: bias"), false;
    }
    return true;
}

// The same for the leading dimensions.
inline bool valid_leading(const solve_gemm_t& call) {
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    return long_enough("lda", call.lda, ta ? call.N : call.M, ta ? call.M : call.N) &&
           long_enough("ldb", call.ldb, tb ? call.K : call.N, tb ? call.N : call.K) &&
           long_enough("ldc", call.ldc, call.M, call.K);
}

// Reads and checks a call of solve_gemm: its code, with the error recorded, or SOLVE_OK. `arithmetic` is the library's.
inline int begin_call(const solve_gemm_t* given, uint32_t arithmetic, solve_gemm_t& call) {
    clear_error();
    if (const int code = read_call(given, "solve_gemm_t", call); code != SOLVE_OK) return code;
    if (call.reserved != 0) return fail("reserved = %u is not 0", call.reserved), SOLVE_UNSUPPORTED;
    // In an empty batch no pointer is checked; an array of pointers, which may be in device memory, counts as valid.
    static constexpr float kThere = 0;
    const auto counted = [&](int size) { return call.batch == 0 ? std::min(size, 0) : size; };
    const bool valid_pointers =
        valid(call.A_array ? &kThere : call.A, call.B_array ? &kThere : call.B, call.C_array ? &kThere : call.C,
              counted(call.M), counted(call.N), counted(call.K));
    if (!valid_pointers || !valid_kinds(call) || !valid_leading(call)) return SOLVE_INVALID_ARGUMENT;
    return check_accuracy(call.accuracy, arithmetic);
}

}  // namespace ladder
