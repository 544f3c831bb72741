// From what the probes found to a class of precision.
#pragma once

#include <string>

#include "checks/evidence.h"
#include "values/precision_class.h"

namespace judge {

struct Grade {
    PrecisionClass grade = PrecisionClass::wrong;
    std::string reason;  // one line
};

// The worse of two; of equal ones the first.
Grade worse(const Grade& first, const Grade& second);

// How precise a plugin is.
struct Precision : Grade {
    Evidence evidence;
};

// The class that the evidence calls for, and why:
//
//   FP32           r <= 1.5 and every probe of exact values exact
//   FP32-emulated  r <= 30, exact on operands of 12 bits: several narrower products in place of one, 3xTF32 for example
//   TF32-grade     r <= 2500, or C is the product of operands rounded to 11 bits (TF32, FP16)
//   BF16-grade     above, or operands rounded to 8 bits
//   normwise-only  as good as FP32 for the matrix as a whole, not for each of its elements: Strassen and its like
//   wrong          none of these
//
// and not above the class of any of the products among the probes (below).
//
// README.md has what was measured of plugins of each class.
Precision classify(const Evidence& evidence);

// The best class that the products of one shape leave. In terms of the exact product:
//
//   wrong          a sum of whole numbers is off by half a unit or more
//   normwise-only  ... by less, or what has only zeros for terms is not zero
//   FP32           products of two numbers are rounded once
//   FP32-emulated  they are off by up to 2^-14 of themselves
//   TF32-grade     up to 2^-9
//   BF16-grade     up to 2^-6; above, what is left of larger sums was added: normwise-only
//
// And of the random one: r may be 1.5 in FP32, and more where it is the mean of few elements: 5.9 of 16, 28 of one.
// Above, and above what rounding the operands explains, the class is what r at N = 256, on uniform data and of many
// elements would make it;
// but FP32 by its exact products, and 30 times further off than FP32, is wrong.
Grade classify(const ShapeEvidence& evidence);

}  // namespace judge
