// What abi/solve.h promises of solve, and no product of finite numbers, made alone, shows.
#pragma once

#include <cstdint>
#include <functional>

#include "checks/probes.h"
#include "checks/verdict.h"
#include "device/device.h"

namespace judge {

// Of the test's products. No multiples of 4, but the elements of each matrix are: so it ends with a page, and begins at
// a multiple of 16 bytes.
constexpr Shape kInterfaceShape{66, 46, 82};

struct InterfaceTest {
    Multiply multiply;
    uint32_t arithmetic = 0;  // its bound, one of enum solve_arithmetic
    bool fp32 = true;         // whether its class is FP32
    bool full_range = true;   // whether it takes the exponents of FP32, as FP16 does not
    int rounds = 4;           // of two calls at a time; 0: none
    std::function<uint64_t()> next_seed;
    int large_rounds = 4;                  // the same at a size that takes a call longer
    bool emulated = false;                 // then nothing is larger than it must be
    bool any_alignment = true;             // whether it takes pointers that are aligned to 4 bytes only
    Shape shape_of_two = kInterfaceShape;  // of two calls at a time, but those of the larger size
};

// Zeros times infinity and NaN, which are NaN, and products too large for FP32, which are infinite, where the class is
// FP32; one matrix alone that does not begin at a multiple of 16 bytes; in host memory, nothing touched around matrices
// that end with a page, and the inputs only read; A and B the same memory; matrices of small numbers; zeros in
// patterns; single elements that change between calls; matrices that are structured but for two elements; and two calls
// at a time, from two threads, on different matrices. The verdict is that of the first promise that is broken, or ok,
// with a note in its message where a sum's only infinity is lost.
Verdict check_interface(Device& device, const InterfaceTest& test);

// The last of these alone, for an entry other than solve.
Verdict check_two_calls_at_a_time(Device& device, const InterfaceTest& test);

}  // namespace judge
