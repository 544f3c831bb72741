// What PTX computes with the numbers in registers, which hold 64 bits of whatever type.
#pragma once

#include <cstdint>

#include "ptx_code.h"

namespace emulator::ptx {

int64_t to_signed(uint64_t value, Type type);

// Operations with one or two operands; of a pair of numbers of 16 bits, each half by itself.
uint64_t arithmetic(Operation operation, Type type, uint64_t a, uint64_t b);

// a * b + c, rounded once.
uint64_t multiply_add(Type type, uint64_t a, uint64_t b, uint64_t c);

bool compare(Comparison comparison, Type type, uint64_t a, uint64_t b);

// cvt.to.from of a; into a pair, of a and `low`.
uint64_t convert(const Instruction& instruction, uint64_t a, uint64_t low);

}  // namespace emulator::ptx
