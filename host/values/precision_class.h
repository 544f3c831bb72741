// The classes of precision that a plugin may be found in, and their names.
#pragma once

#include <string>
#include <vector>

namespace judge {

// From the best to the worst. Speeds are compared within one class. checks/README.md says how a class is measured.
enum class PrecisionClass {
    fp32,
    fp32_emulated,  // several narrower products in place of one: 3xTF32 for example
    tf32,           // as if the operands were rounded to 11 bits, as TF32 and FP16 have
    bf16,           // to 8 bits
    normwise_only,  // as good as FP32 for the matrix as a whole, not for each of its elements: Strassen and its like
    wrong,
};

// "FP32", "FP32-emulated", "TF32-grade", "BF16-grade", "normwise-only", "wrong": what tables and JSON show.
std::string to_string(PrecisionClass precision);

// What --require calls the class: fp32, fp32-emulated, tf32, bf16. The other classes have no such name: for them
// requirement() throws std::out_of_range.
std::string requirement(PrecisionClass precision);
PrecisionClass parse_requirement(const std::string& name);  // throws std::invalid_argument
std::vector<std::string> requirements();                    // from the best to the worst

// Whether a plugin of this class satisfies --require `least`. normwise-only bounds no single element, so it satisfies
// none.
bool satisfies(PrecisionClass measured, PrecisionClass least);

}  // namespace judge
