#include "arithmetic.h"

#include <cstdlib>
#include <cstring>

#include "cublas_abi.h"

namespace drop_in {

namespace {

enum class Tf32 { as_asked, never, always };

Tf32 override_of(const char* value) {
    if (!value || !*value) return Tf32::as_asked;
    return std::strcmp(value, "0") == 0 ? Tf32::never : Tf32::always;
}

// cuBLAS reads these once, too.
Tf32 tf32_override() {
    static const Tf32 found = override_of(std::getenv("NVIDIA_TF32_OVERRIDE"));
    return found;
}

bool is_emulation_asked_for() {
    static const char* const value = std::getenv("CUBLAS_EMULATE_SINGLE_PRECISION");
    return value && *value && std::strcmp(value, "0") != 0;
}

}  // namespace

const char* not_fp32(int math, int compute) {
    if (tf32_override() == Tf32::always) return "NVIDIA_TF32_OVERRIDE allows TF32";
    if (is_emulation_asked_for()) return "CUBLAS_EMULATE_SINGLE_PRECISION asks for another arithmetic";
    const bool no_tf32 = tf32_override() == Tf32::never;
    switch (math & ~cublas::kDisallowReducedPrecision) {
        case cublas::kDefaultMath:
        case cublas::kPedanticMath:
            break;
        case cublas::kTf32Math:
            if (no_tf32) break;
            return "the math mode allows TF32";
        default:
            return "the math mode is not FP32";
    }
    switch (compute) {
        case cublas::kCompute32:
        case cublas::kCompute32Pedantic:
            return nullptr;
        case cublas::kCompute32FastTf32:
            return no_tf32 ? nullptr : "the compute type allows TF32";
        default:
            return "the compute type is not FP32";
    }
}

bool is_pedantic(int math, int compute) {
    return (math & ~cublas::kDisallowReducedPrecision) == cublas::kPedanticMath ||
           compute == cublas::kCompute32Pedantic;
}

}  // namespace drop_in
