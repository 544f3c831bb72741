// The instructions on matrices that a warp holds together: ldmatrix and mma.sync.
#pragma once

#include <cstdint>

#include "../include/emulator/barrier.h"
#include "ptx_code.h"

namespace emulator::ptx {

// One lane's registers; the product is left in c.
struct MatrixOperands {
    uint32_t a[4], b[2], c[4];
};

// m16n8kK, with operands of that type.
void multiply_matrix(MatrixOperands& operands, Type type, Type accumulator, int k, Place place);

// The row that the calling lane names, of each of `count` matrices of 8 x 8 elements of 16 bits; results[i] is the
// lane's part of matrix i.
void load_matrix(uint32_t* results, const void* row, int count, bool transposed, Place place);

}  // namespace emulator::ptx
