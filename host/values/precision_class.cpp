#include "values/precision_class.h"

#include <algorithm>
#include <stdexcept>

namespace judge {

std::string to_string(PrecisionClass precision) {
    switch (precision) {
        case PrecisionClass::fp32:
            return "FP32";
        case PrecisionClass::fp32_emulated:
            return "FP32-emulated";
        case PrecisionClass::tf32:
            return "TF32-grade";
        case PrecisionClass::bf16:
            return "BF16-grade";
        case PrecisionClass::normwise_only:
            return "normwise-only";
        case PrecisionClass::wrong:
            return "wrong";
    }
    return "wrong";
}

std::vector<std::string> requirements() {
    return {"fp32", "fp32-emulated", "tf32", "bf16"};  // in the order of enum PrecisionClass
}

std::string requirement(PrecisionClass precision) {
    return requirements().at(static_cast<size_t>(precision));
}

PrecisionClass parse_requirement(const std::string& name) {
    const auto names = requirements();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw std::invalid_argument("no such class: " + name);
    return static_cast<PrecisionClass>(found - names.begin());
}

bool satisfies(PrecisionClass measured, PrecisionClass least) {
    return measured <= least && measured <= PrecisionClass::bf16;
}

}  // namespace judge
