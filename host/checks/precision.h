// How precise a plugin is, by what it makes of small matrices that tell: not by a tolerance on one product, which a
// faster kernel of lower precision passes on data that are kind to it (TF32 is exact on small integers, and within
// 1e-4 of the largest element on positive data).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checks/rounding.h"
#include "device/device.h"
#include "values/precision_class.h"
#include "values/record.h"

namespace judge {

// A product's errors over what a right FP32 kernel may have: each at most 1 for one.
struct Gate {
    double elementwise = 0;  // max |C - C64| / (u |A||B|), over rho_bound
    double normwise = 0;     // ||C - C64||_F / (u || |A||B| ||_F), over rho_bound
};

// What the probes found. Shares are of all elements of C.
struct Evidence {
    double r = 0;           // Z1, see above
    double r_positive = 0;  // Z2: the same on U[0, 1) and a larger N: sums that truncate fall behind
    Gate zero_mean;         // Z1
    Gate wide;              // Z3: magnitudes over 16 binades
    Gate cancelling;        // X1: A = [A1 A1], B = [B1; -B1 + 2^-20 of it]
    Gate integers;          // I1: integers of up to 8 bits, their sums at most 2^24, M, N and K prime
    // The rounding of the operands around whose exact product C passes Z1, Z3 and X1, where it does not around C64.
    Rounding rounding = Rounding::none;
    double inexact_integers = 0;        // I1, which is exact in any order of summation
    double inexact_12_bits = 0;         // I2: odd integers of 12 bits times -1, 0 or 1
    double inexact_24_bits = 0;         // I3: odd integers of 24 bits times one 1
    int input_bits = 0;                 // the most bits up to which I3 is exact: 24; 22 for two TF32 parts, 11, 8
    double inexact_accumulator = 0;     // I4: sums of 2^23 and ones
    double out_of_range = 0;            // R1: powers of two up to 2^100 and down to 2^-120
    bool flushes_subnormals = false;    // R1: does not return one of them as it is
    uint64_t lost_special = 0;          // N1: finite elements in the row of a NaN of A, the column of an infinity of B
    uint64_t spread_special = 0;        // N1: elements elsewhere that are not finite
    uint64_t nonzero_in_zero_rows = 0;  // see Problem
    bool deterministic = true;          // Z1 three times gave the same bits
};

struct Precision {
    PrecisionClass grade = PrecisionClass::wrong;
    std::string reason;  // one line
    Evidence evidence;
};

Json to_json(const Evidence& evidence);

// The class that the evidence calls for, and why:
//
//   FP32           r <= 1.5 and every probe of exact values exact
//   FP32-emulated  r <= 30, exact on operands of 12 bits: several narrower products in place of one, 3xTF32 for example
//   TF32-grade     r <= 2500, or C is the product of operands rounded to 11 bits (TF32, FP16)
//   BF16-grade     above, or operands rounded to 8 bits
//   normwise-only  as good as FP32 for the matrix as a whole, not for each of its elements: Strassen and its like
//   wrong          none of these
//
// r = ||C - C64||_F / ||C_seq - C64||_F on U[-1, 1), N = 256, where C_seq is the judge's own FP32 sum, one fused
// multiply-add after the other: the largest error that an honest order of summation makes on random data. At larger N
// the classes move together, as 1 / sqrt N.
//
// Measured, with the shares of elements that I2 (operands of 12 bits) and I3 (of 24) found inexact. The
// plugins are those of the ladder and of tests/bad_plugins, on a 2-core EPYC; on the H200, cuBLAS and a 3xTF32 kernel.
//
//   |                                      | r      | r, H200 | I2   | I3   | bits | class         |
//   |--------------------------------------|--------|---------|------|------|------|---------------|
//   | 00_serial to 90_openblas, 10 to 66   | 1.00   | 1.00    | 0    | 0    | 24   | FP32          |
//   | 68_split_n                           | 0.71   |         | 0    | 0    | 24   | FP32          |
//   | three_tf32_products                  | 1.7    | 2.2     | 0    | 51%  | 23   | FP32-emulated |
//   | 70_wmma_tf32, 74_mma_tf32, TF32      | 903    | 909     | 99%  | 100% | 11   | TF32-grade    |
//   | claims_fp32_rounds_to_tf32, TF32 cut | 2370   |         | 98%  | 100% | 11   | TF32-grade    |
//   | rounds_to_bf16                       | 7150   | 7260    | 99%  | 100% | 8    | BF16-grade    |
//   | strassen_at_any_size                 | 1.44   |         | 0    | 10%  | 13   | normwise-only |
//   | short_accumulator, 16 bits           | 255    |         | 22%  | 100% | 16   | wrong         |
Precision classify(const Evidence& evidence);

// C[M x K] = A[M x N] * B[N x K] in the device's memory, still running on return.
using Multiply = std::function<void(const float* A, const float* B, float* C, int M, int N, int K)>;

struct ProbeSizes {
    Shape shape{320, 256, 288};  // Z1, Z3, X1: N = 256 is what the thresholds of r hold for
    Shape deep{64, 4096, 72};    // Z2
    Shape prime{317, 251, 283};  // I1
    Shape exact{320, 256, 288};  // the others
};
// For the emulator, which runs a hundredth as fast, and for an estimate: a twentieth of the work.
constexpr ProbeSizes kSmallSizes{{80, 256, 72}, {20, 512, 24}, {79, 97, 71}, {80, 64, 72}};

// Makes about twenty calls and waits for each.
Precision measure_precision(Device& device, const Multiply& multiply, uint64_t seed, const ProbeSizes& sizes = {});

}  // namespace judge
