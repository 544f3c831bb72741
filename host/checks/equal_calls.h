// Equal calls in other circumstances: do they leave the same bits?
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "device/device.h"
#include "library/plugin.h"
#include "values/gemm_form.h"
#include "values/shape.h"

namespace judge {

// A product of dense matrices, or several: solve_enqueue, solve_gemm, solve_chain_enqueue or solve.
struct EqualCallsTest {
    std::string name;
    int products = 1;
    // Returns an enum solve_result.
    std::function<int(const float* A, const float* B, float* C, const Shape&)> call = {};
    // If equal calls need not leave equal bits, as of solve, that is only noted, and each is held to this arithmetic's
    // bound.
    bool promises_bits = true;
    uint32_t arithmetic = 0;
    bool emulated = false;  // then at one shape only
};

struct EqualCallsFindings {
    std::string wrong, note;  // in one line each; empty for nothing
};

// At a long contraction, and at a product that is worth several threads: calls with matrices elsewhere in memory at
// the same alignment to 16 bytes, with something else in C, after calls at other sizes, and in all circumstances().
EqualCallsFindings check_equal_calls(Device& device, const EqualCallsTest& test);

// Of what promises equal bits; solve_gemm of two products in this form, solve_chain_enqueue with a square third matrix.
EqualCallsFindings check_equal_calls_of_enqueue(const Plugin& plugin, Device& device, bool emulated);
EqualCallsFindings check_equal_calls_of_gemm(const Plugin& plugin, const GemmForm& form, Device& device, bool emulated);
EqualCallsFindings check_equal_calls_of_chain(const Plugin& plugin, Device& device, bool emulated);

}  // namespace judge
