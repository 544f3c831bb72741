// From what the probes found to a class of precision.
#pragma once

#include <string>

#include "checks/evidence.h"
#include "values/precision_class.h"

namespace judge {

// How precise a plugin is.
struct Precision {
    PrecisionClass grade = PrecisionClass::wrong;
    std::string reason;  // one line
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
// README.md has what was measured of plugins of each class.
Precision classify(const Evidence& evidence);

}  // namespace judge
