// The calls of solve_gemm that gemm_check makes: small products of every kind that the entry promises.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/solve.h"
#include "library/plugin.h"
#include "values/gemm_form.h"

namespace judge {

// Bits of GemmCase::arrays: the matrices that are given as arrays of pointers.
constexpr unsigned kArrayOfA = 1, kArrayOfB = 2, kArrayOfC = 4, kArrays = 7;

// Bits of GemmCase::shared: what all products of a batch have in common, by a stride of 0.
constexpr unsigned kSharedA = 1, kSharedB = 2, kSharedBias = 4;

// Past the 65535 blocks that the second and the third dimension of a grid may have.
constexpr int kMany = 65601;

struct GemmCase {
    int M, N, K;
    GemmForm form;
    int padding = 0;  // of every row, in elements, or kToVectors
    float alpha = 1, beta = 0;
    uint32_t bias = SOLVE_BIAS_NONE;
    unsigned arrays = 0;
    unsigned shared = 0;
    bool side_stream = false;
    uint32_t accuracy = 0;
    bool specials = false;     // zeros of one operand opposite infinities and NaN of the other
    bool interleaved = false;  // the matrices of a batch: row by row one beside the other

    std::string text() const;
};

// Those that this plugin is called with: fewer in the emulator, where each takes a hundred times as long.
std::vector<GemmCase> gemm_cases(const Plugin& plugin, bool has_side_stream);

}  // namespace judge
