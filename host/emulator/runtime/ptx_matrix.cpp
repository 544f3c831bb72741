#include "ptx_matrix.h"

#include <algorithm>
#include <stdexcept>

#include "../include/cuda_bf16.h"
#include "../include/cuda_fp16.h"
#include "../include/emulator/warp_operation.h"

namespace emulator::ptx {
namespace {

// Element j of a register that holds several.
float element(uint32_t bits, int j, Type type) {
    if (type.kind == Kind::kTf32) return as_tf32(__uint_as_float(bits));
    if (type.bits == 16) {
        const auto half = static_cast<uint16_t>(bits >> 16 * j);
        return type.kind == Kind::kBfloat ? bfloat16_to_float(half) : half_to_float(half);
    }
    const auto byte = static_cast<uint8_t>(bits >> 8 * j);
    return type.kind == Kind::kSigned ? static_cast<float>(static_cast<int8_t>(byte)) : static_cast<float>(byte);
}

}  // namespace

// With g = lane / 4, t = lane % 4 and e elements a register: register r of A holds row g + r % 2 * 8 and columns
// t * e + r / 2 * 4e ..., register r of B rows t * e + r * 4e ... of column g, and C rows g and g + 8 of columns 2t, 2t
// + 1.
void multiply_matrix(MatrixOperands& operands, Type type, Type accumulator, int k, Place place) {
    const int e = 32 / type.bits;
    uint32_t d[4];
    warp_operation(operands, place, [&](const WarpOperands<MatrixOperands>& all) {
        const int g = static_cast<int>(lane()) / 4, t = static_cast<int>(lane()) % 4;
        for (int i = 0; i < 4; ++i) {
            const int row = i / 2, col = t * 2 + i % 2;
            const auto product = [&](auto sum) {
                for (int at = 0; at < k; ++at) {
                    const int holder = at / e % 4, chunk = at / e / 4;
                    const float left = element(all[g * 4 + holder].a[row + 2 * chunk], at % e, type);
                    const float right = element(all[col * 4 + holder].b[chunk], at % e, type);
                    sum += static_cast<decltype(sum)>(left) * static_cast<decltype(sum)>(right);
                }
                return sum;
            };
            if (accumulator.bits == 16) {
                const float before = half_to_float(static_cast<uint16_t>(operands.c[row] >> 16 * (i % 2)));
                const uint32_t half = float_to_half(product(before));
                d[row] = i % 2 ? d[row] | half << 16 : half;
            } else if (accumulator.kind == Kind::kFloat) {
                d[i] = __float_as_uint(product(__uint_as_float(operands.c[i])));
            } else {
                d[i] = static_cast<uint32_t>(product(static_cast<int32_t>(operands.c[i])));
            }
        }
    });
    std::copy_n(d, accumulator.bits == 16 ? 2 : 4, operands.c);
}

void load_matrix(uint32_t* results, const void* row, int count, bool transposed, Place place) {
    warp_operation(row, place, [&](const WarpOperands<const void*>& all) {
        const int own = static_cast<int>(lane());
        for (int i = 0; i < count; ++i) {
            const auto part = [&](int of_row, int col) -> uint32_t {
                const auto* const from = static_cast<const uint16_t*>(all[i * 8 + of_row]);
                if (reinterpret_cast<uintptr_t>(from) % 16 != 0) throw std::runtime_error("ldmatrix: misaligned row");
                return from[col];
            };
            const int pair = own % 4 * 2, other = own / 4;
            results[i] = transposed ? part(pair, other) | part(pair + 1, other) << 16
                                    : part(other, pair) | part(other, pair + 1) << 16;
        }
    });
}

}  // namespace emulator::ptx
