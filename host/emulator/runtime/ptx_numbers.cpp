#include "ptx_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "../include/cuda_bf16.h"
#include "../include/cuda_fp16.h"

namespace emulator::ptx {

int64_t to_signed(uint64_t value, Type type) {
    const int unused = 64 - type.bits;
    return static_cast<int64_t>(value << unused) >> unused;
}

namespace {

bool is_integer(Type type) {
    return type.kind == Kind::kBits || type.kind == Kind::kUnsigned || type.kind == Kind::kSigned;
}

bool is_pair(Type type) {
    return type.kind == Kind::kHalfPair || type.kind == Kind::kBfloatPair;
}

double to_number(uint64_t value, Type type) {
    if (type.kind == Kind::kBfloat) return bfloat16_to_float(static_cast<uint16_t>(value));
    if (type.kind == Kind::kUnsigned || type.kind == Kind::kBits) return static_cast<double>(value);
    if (type.kind == Kind::kSigned) return static_cast<double>(to_signed(value, type));
    if (type.bits == 64) return std::bit_cast<double>(value);
    if (type.bits == 16) return half_to_float(static_cast<uint16_t>(value));
    return __uint_as_float(static_cast<unsigned>(value));
}

// From FP64, which an operation on two FP32 numbers or on two of 16 bits may be computed in: rounding twice does no
// harm.
uint64_t from_number(double value, Type type) {
    if (type.kind == Kind::kBfloat) return float_to_bfloat16(static_cast<float>(value));
    if (type.bits == 64) return std::bit_cast<uint64_t>(value);
    if (type.bits == 16) return float_to_half(static_cast<float>(value));
    return __float_as_uint(static_cast<float>(value));
}

double compute(Operation operation, double a, double b) {
    switch (operation) {
        case Operation::kAdd:
            return a + b;
        case Operation::kSubtract:
            return a - b;
        case Operation::kMultiply:
            return a * b;
        case Operation::kDivide:
            return a / b;
        case Operation::kMinimum:
            return std::fmin(a, b);
        case Operation::kMaximum:
            return std::fmax(a, b);
        case Operation::kNegate:
            return -a;
        case Operation::kAbsolute:
            return std::fabs(a);
        case Operation::kReciprocal:
            return 1 / a;
        case Operation::kSquareRoot:
            return std::sqrt(a);
        case Operation::kReciprocalSquareRoot:
            return 1 / std::sqrt(a);
        case Operation::kExp2:
            return std::exp2(a);
        case Operation::kLog2:
            return std::log2(a);
        default:
            return std::tanh(a);
    }
}

uint64_t compute(Operation operation, uint64_t a, uint64_t b, Type type) {
    const bool is_signed = type.kind == Kind::kSigned;
    const int64_t left = to_signed(a, type), right = to_signed(b, type);
    switch (operation) {
        case Operation::kAdd:
            return a + b;
        case Operation::kSubtract:
            return a - b;
        case Operation::kMultiply:
        case Operation::kMultiplyWide:
            return is_signed ? static_cast<uint64_t>(left * right) : a * b;
        case Operation::kMultiplyHigh:
            return is_signed ? static_cast<uint64_t>(left * right >> 32) : a * b >> 32;
        case Operation::kDivide:
            return b == 0 ? ~uint64_t{0} : is_signed ? static_cast<uint64_t>(left / right) : a / b;
        case Operation::kRemainder:
            return b == 0 ? a : is_signed ? static_cast<uint64_t>(left % right) : a % b;
        case Operation::kMinimum:
            return is_signed ? static_cast<uint64_t>(std::min(left, right)) : std::min(a, b);
        case Operation::kMaximum:
            return is_signed ? static_cast<uint64_t>(std::max(left, right)) : std::max(a, b);
        case Operation::kNegate:
            return -a;
        case Operation::kAbsolute:
            return static_cast<uint64_t>(left < 0 ? -left : left);
        case Operation::kAnd:
            return a & b;
        case Operation::kOr:
            return a | b;
        case Operation::kXor:
            return a ^ b;
        case Operation::kNot:
            return type.kind == Kind::kPredicate ? !a : ~a;
        case Operation::kShiftLeft:
            return b >= type.bits ? 0 : a << b;
        default:  // kShiftRight
            if (is_signed) return static_cast<uint64_t>(left >> std::min<uint64_t>(b, type.bits - 1));
            return b >= type.bits ? 0 : a >> b;
    }
}

// Of a pair, each half by itself.
template <class One>
uint64_t each_half(Type pair, One one) {
    const Type half{pair.kind == Kind::kHalfPair ? Kind::kFloat : Kind::kBfloat, 16};
    return one(0, half) | one(16, half) << 16;
}

bool compare(Comparison comparison, auto a, auto b) {
    switch (comparison) {
        case Comparison::kEqual:
            return a == b;
        case Comparison::kNotEqual:
            return a != b;
        case Comparison::kLess:
            return a < b;
        case Comparison::kLessEqual:
            return a <= b;
        case Comparison::kGreater:
            return a > b;
        case Comparison::kGreaterEqual:
            return a >= b;
    }
    return false;
}

double rounded_to_integer(double value, Rounding rounding) {
    switch (rounding) {
        case Rounding::kZero:
            return std::trunc(value);
        case Rounding::kUp:
            return std::ceil(value);
        case Rounding::kDown:
            return std::floor(value);
        default:
            return std::nearbyint(value);
    }
}

uint64_t to_tf32(uint64_t bits, Rounding rounding) {
    const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
    if (finite && rounding != Rounding::kZero) bits += 0x1000;
    return bits & 0xffffe000u;
}

// Of a product and the sum that it is added to, both of type t or of a half of it.
uint64_t fused(uint64_t a, uint64_t b, uint64_t c, Type type) {
    if (type.bits != 32) return from_number(std::fma(to_number(a, type), to_number(b, type), to_number(c, type)), type);
    return __float_as_uint(fmaf(__uint_as_float(a), __uint_as_float(b), __uint_as_float(c)));
}

uint64_t to_integer(double value, Type type) {
    const bool is_signed = type.kind == Kind::kSigned;
    if (type.bits == 64) {
        return is_signed ? static_cast<uint64_t>(saturated<long long>(value)) : saturated<unsigned long long>(value);
    }
    return is_signed ? static_cast<uint64_t>(saturated<int>(value)) : saturated<unsigned>(value);
}

}  // namespace

uint64_t arithmetic(Operation operation, Type type, uint64_t a, uint64_t b) {
    if (is_pair(type)) {
        return each_half(type, [&](int shift, Type half) {
            const double left = to_number(a >> shift & 0xffff, half), right = to_number(b >> shift & 0xffff, half);
            return from_number(compute(operation, left, right), half);
        });
    }
    if (is_integer(type) || type.kind == Kind::kPredicate) return compute(operation, a, b, type);
    return from_number(compute(operation, to_number(a, type), to_number(b, type)), type);
}

uint64_t multiply_add(Type type, uint64_t a, uint64_t b, uint64_t c) {
    if (is_pair(type)) {
        return each_half(type, [&](int shift, Type half) {
            return fused(a >> shift & 0xffff, b >> shift & 0xffff, c >> shift & 0xffff, half);
        });
    }
    return is_integer(type) ? compute(Operation::kMultiply, a, b, type) + c : fused(a, b, c, type);
}

bool compare(Comparison comparison, Type type, uint64_t a, uint64_t b) {
    if (type.kind == Kind::kSigned) return compare(comparison, to_signed(a, type), to_signed(b, type));
    if (is_integer(type)) return compare(comparison, a, b);
    return compare(comparison, to_number(a, type), to_number(b, type));
}

uint64_t convert(const Instruction& each, uint64_t a, uint64_t low) {
    const Type to = each.type, from = each.from;
    const auto clipped = [&](double value) { return each.relu ? std::fmax(value, 0.0) : value; };
    if (is_pair(to)) {
        return each_half(
            to, [&](int shift, Type half) { return from_number(clipped(to_number(shift ? a : low, from)), half); });
    }
    if (to.kind == Kind::kTf32) return to_tf32(a, each.rounding);
    if (is_integer(to) && is_integer(from)) {
        return from.kind == Kind::kSigned ? static_cast<uint64_t>(to_signed(a, from)) : a;
    }
    if (is_integer(to)) return to_integer(rounded_to_integer(to_number(a, from), each.rounding), to);
    return from_number(clipped(to_number(a, from)), to);
}

// ---- Bits ----------------------------------------------------------------------------------------------------------

namespace {

uint64_t low_bits(uint64_t count) {
    return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

}  // namespace

uint64_t extract_bits(Type type, uint64_t value, uint64_t position, uint64_t length) {
    const uint64_t bits = type.bits;
    position &= 0xff;
    length = std::min(length & 0xff, bits);
    if (length == 0) return 0;
    const bool negative = type.kind == Kind::kSigned && (value >> std::min(position + length - 1, bits - 1) & 1);
    const uint64_t field = position >= bits ? 0 : value >> position & low_bits(length);
    const uint64_t known = position >= bits ? 0 : std::min(bits - position, length);
    return negative ? field | ~low_bits(known) : field;
}

uint64_t insert_bits(Type type, uint64_t field, uint64_t into, uint64_t position, uint64_t length) {
    position &= 0xff;
    if (position >= type.bits) return into;
    const uint64_t mask = low_bits(length & 0xff) << position;
    return (into & ~mask) | (field << position & mask);
}

uint64_t funnel_shift(const Instruction& instruction, uint64_t low, uint64_t high, uint64_t count) {
    const uint64_t pair = low | high << 32;
    count = instruction.clamps ? std::min<uint64_t>(count, 32) : count & 31;
    return instruction.to_right ? pair >> count : pair << count >> 32;
}

}  // namespace emulator::ptx
