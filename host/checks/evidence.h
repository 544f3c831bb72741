// What the probes of the precision found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "checks/exact_product.h"
#include "checks/rounding.h"
#include "checks/row_errors.h"
#include "values/record.h"

namespace judge {

// A product's errors over what a right FP32 kernel may have: each at most 1 for one.
struct Gate {
    double elementwise = 0;  // max |C - C64| / (u |A||B|), over rho_bound
    double normwise = 0;     // ||C - C64||_F / (u || |A||B| ||_F), over rho_bound
};

// What a product of random numbers and an exact one of the same sizes found.
struct ShapeEvidence {
    Shape shape;
    RowErrors errors;
    ExactFindings exact;
    // The most that products of two numbers are off by, here or at another shape: what rounding the operands explains.
    double product_rho() const { return std::max(exact.single_rho, probes_single_rho); }
    double probes_single_rho = 0;
};

// What the probes found; probes.cpp makes them, by the same names (Z1, I2, ...). Shares are of all elements of C.
//
// r = ||C - C64||_F / ||C_seq - C64||_F, where C_seq is the judge's own FP32 sum, one fused multiply-add after the
// other: the largest error that an honest order of summation makes on random data.
struct Evidence {
    double r = 0;           // Z1: on U[-1, 1)
    double r_positive = 0;  // Z2: the same on U[0, 1) and a larger N: sums that truncate fall behind
    Gate zero_mean;         // Z1
    Gate wide;              // Z3: magnitudes over 16 binades
    Gate cancelling;        // X1: A = [A1 A1], B = [B1; -B1 + 2^-20 of it]
    Gate integers;          // I1: integers of up to 8 bits, their sums at most 2^24, M, N and K prime
    // The rounding of the operands around whose exact product C passes Z1, Z3 and X1, where it does not around C64.
    Rounding rounding = Rounding::none;
    RoundedOperands rounded = RoundedOperands::both;
    double inexact_integers = 0;        // I1, which is exact in any order of summation
    double inexact_12_bits = 0;         // I2: odd integers of 12 bits times -1, 0 or 1
    double inexact_24_bits = 0;         // I3: odd integers of 24 bits times 2^-12, times one 1/16
    int input_bits = 0;                 // the most bits up to which I3 is exact: 24; 22 for two TF32 parts, 11, 8
    double inexact_accumulator = 0;     // I4: sums of 2^23 and ones, times 2^-9
    double out_of_range = 0;            // R1: powers of two up to 2^100 and down to 2^-120
    bool flushes_subnormals = false;    // R1: does not return one of them as it is
    uint64_t lost_special = 0;          // N1: finite elements in the row of a NaN of A, the column of an infinity of B
    uint64_t spread_special = 0;        // N1: elements elsewhere that are not finite
    uint64_t nonzero_in_zero_rows = 0;  // in the rows, and columns, of a random half of A's rows, and B's columns
    std::vector<ShapeEvidence> products;  // E: exact products: prime sizes, multiples of 128, a large N
    bool deterministic = true;            // Z1 three times gave the same bits
};

Json to_json(const Evidence& evidence);
Json to_json(const ShapeEvidence& evidence);

}  // namespace judge
