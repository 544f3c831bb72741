// What a kernel computes that is wrong: the products that BLAS users and beginners confuse with A * B.
#pragma once

#include <string>

#include "checks/small_product.h"

namespace judge {

// Which other product of these operands C is: column-major matrices, an operand that is transposed, C transposed, a
// factor. Empty if it is A * B, or none that is known. The operands are small integers (Data::integers), whose product
// is exact in every format and order: a guess is right in full or not at all.
std::string other_product(const Operands& operands, const Matrix& c);

}  // namespace judge
