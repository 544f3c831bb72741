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

// bfe: the field of `length` bits at `position`; a signed one is extended.
uint64_t extract_bits(Type type, uint64_t value, uint64_t position, uint64_t length);
// bfi: `into` with that field replaced.
uint64_t insert_bits(Type type, uint64_t field, uint64_t into, uint64_t position, uint64_t length);
// shf.l: the high half of high:low << count; shf.r: the low half of high:low >> count.
uint64_t funnel_shift(const Instruction& instruction, uint64_t low, uint64_t high, uint64_t count);

}  // namespace emulator::ptx
