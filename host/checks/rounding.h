// What a kernel of lower precision does to its operands before it multiplies them.
#pragma once

#include <string>

namespace judge {

enum class Rounding { none, tf32_nearest, tf32_truncated, fp16_nearest, bf16_nearest, bf16_truncated };

enum class RoundedOperands { both, a_alone, b_alone };

// To 11 significant bits, within half precision's range for FP16, or to 8. TF32 takes ties away from zero, as
// cvt.rna.tf32 does, FP16 and BF16 to even. NaN and infinity are left alone.
float rounded(Rounding rounding, float value);

int significant_bits(Rounding rounding);
bool truncates(Rounding rounding);
std::string to_string(Rounding rounding);  // "TF32, nearest"; empty for none

}  // namespace judge
