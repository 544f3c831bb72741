// Executes decoded PTX for one thread.
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "../include/cuda_bf16.h"
#include "../include/cuda_fp16.h"
#include "../include/emulator/async_copy.h"
#include "../include/emulator/ptx.h"
#include "ptx_code.h"
#include "ptx_matrix.h"

namespace emulator::ptx {
namespace {

constexpr int kMostNamed = 256;

struct Machine {
    uint64_t* operands;
    uint64_t named[kMostNamed];
    Place place;

    uint64_t& at(int number) { return number < kMostOperands ? operands[number] : named[number - kMostOperands]; }
};

uint64_t special(Special which) {
    const Thread& thread = *current();
    const Block& block = *thread.block;
    switch (which) {
        case Special::kTidX:
            return thread.index.x;
        case Special::kTidY:
            return thread.index.y;
        case Special::kTidZ:
            return thread.index.z;
        case Special::kNtidX:
            return block.size.x;
        case Special::kNtidY:
            return block.size.y;
        case Special::kNtidZ:
            return block.size.z;
        case Special::kCtaidX:
            return block.index.x;
        case Special::kCtaidY:
            return block.index.y;
        case Special::kCtaidZ:
            return block.index.z;
        case Special::kNctaidX:
            return block.grid.x;
        case Special::kNctaidY:
            return block.grid.y;
        case Special::kNctaidZ:
            return block.grid.z;
        case Special::kLane:
            return lane();
        case Special::kWarp:
            return thread.linear / 32;
        case Special::kSm:
            return 0;
        case Special::kClock:
            return static_cast<uint64_t>(clock64());
    }
    return 0;
}

uint64_t mask_of(int bits) {
    return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

uint64_t read(Machine& machine, const Operand& operand, Type type = {Kind::kBits, 64}) {
    uint64_t value = 0;
    if (operand.form == Operand::Form::kImmediate) value = static_cast<uint64_t>(operand.value);
    if (operand.form == Operand::Form::kSpecial) value = special(static_cast<Special>(operand.number));
    if (operand.form == Operand::Form::kRegister) value = machine.at(operand.number);
    if (operand.form == Operand::Form::kVector) {  // packs: mov.b64 %0, {%1, %2}
        const int bits = type.bits / static_cast<int>(operand.elements.size());
        for (size_t i = 0; i < operand.elements.size(); ++i) {
            value |= (read(machine, operand.elements[i]) & mask_of(bits)) << (bits * i);
        }
    }
    if (operand.negated) value = !value;
    return value & mask_of(type.bits);
}

void write(Machine& machine, const Operand& operand, uint64_t value, Type type) {
    if (operand.form == Operand::Form::kRegister) machine.at(operand.number) = value & mask_of(type.bits);
    if (operand.form == Operand::Form::kVector) {
        const int bits = type.bits / static_cast<int>(operand.elements.size());
        for (size_t i = 0; i < operand.elements.size(); ++i) {
            write(machine, operand.elements[i], value >> (bits * i), {Kind::kBits, static_cast<uint8_t>(bits)});
        }
    }
}

// ---- Numbers -------------------------------------------------------------------------------------------------------

bool is_integer(Type type) {
    return type.kind == Kind::kBits || type.kind == Kind::kUnsigned || type.kind == Kind::kSigned;
}

int64_t to_signed(uint64_t value, Type type) {
    const int unused = 64 - type.bits;
    return static_cast<int64_t>(value << unused) >> unused;
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

bool is_pair(Type type) {
    return type.kind == Kind::kHalfPair || type.kind == Kind::kBfloatPair;
}

void arithmetic(Machine& machine, const Instruction& each) {
    const Type type = each.type;
    const bool shifts = each.operation == Operation::kShiftLeft || each.operation == Operation::kShiftRight;
    const uint64_t a = read(machine, each.operands[1], type);
    const uint64_t b = each.operands.size() > 2 ? read(machine, each.operands[2], shifts ? Type{} : type) : 0;
    uint64_t result;
    if (is_pair(type)) {
        result = each_half(type, [&](int shift, Type half) {
            const double left = to_number(a >> shift & 0xffff, half), right = to_number(b >> shift & 0xffff, half);
            return from_number(compute(each.operation, left, right), half);
        });
    } else if (is_integer(type) || type.kind == Kind::kPredicate) {
        result = compute(each.operation, a, b, type);
    } else {
        result = from_number(compute(each.operation, to_number(a, type), to_number(b, type)), type);
    }
    const bool wide = each.operation == Operation::kMultiplyWide;
    write(machine, each.operands[0], result, wide ? Type{type.kind, static_cast<uint8_t>(type.bits * 2)} : type);
}

void multiply_add(Machine& machine, const Instruction& each) {
    const Type type = each.type;
    const bool wide = each.operation == Operation::kMultiplyAddWide;
    const Type sum = wide ? Type{type.kind, static_cast<uint8_t>(type.bits * 2)} : type;
    const uint64_t a = read(machine, each.operands[1], type), b = read(machine, each.operands[2], type);
    const uint64_t c = read(machine, each.operands[3], sum);
    const auto fused = [&](uint64_t x, uint64_t y, uint64_t z, Type t) -> uint64_t {
        if (t.bits != 32) return from_number(std::fma(to_number(x, t), to_number(y, t), to_number(z, t)), t);
        return __float_as_uint(fmaf(__uint_as_float(x), __uint_as_float(y), __uint_as_float(z)));
    };
    uint64_t result;
    if (is_pair(type)) {
        result = each_half(type, [&](int shift, Type half) {
            return fused(a >> shift & 0xffff, b >> shift & 0xffff, c >> shift & 0xffff, half);
        });
    } else if (is_integer(type)) {
        result = compute(Operation::kMultiply, a, b, type) + c;
    } else {
        result = fused(a, b, c, type);
    }
    write(machine, each.operands[0], result, sum);
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

void compare(Machine& machine, const Instruction& each) {
    const uint64_t a = read(machine, each.operands[1], each.type), b = read(machine, each.operands[2], each.type);
    bool result;
    if (each.type.kind == Kind::kSigned) {
        result = compare(each.comparison, to_signed(a, each.type), to_signed(b, each.type));
    } else if (is_integer(each.type)) {
        result = compare(each.comparison, a, b);
    } else {
        result = compare(each.comparison, to_number(a, each.type), to_number(b, each.type));
    }
    write(machine, each.operands[0], result, {Kind::kPredicate, 1});
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

// cvt.to.from; two numbers into a pair: cvt.rn.f16x2.f32 d, high, low.
void convert(Machine& machine, const Instruction& each) {
    const Type to = each.type, from = each.from;
    const auto clipped = [&](double value) { return each.relu ? std::fmax(value, 0.0) : value; };
    const uint64_t a = read(machine, each.operands[1], from);
    uint64_t result;
    if (is_pair(to)) {
        const uint64_t low = read(machine, each.operands[2], from);
        result = each_half(
            to, [&](int shift, Type half) { return from_number(clipped(to_number(shift ? a : low, from)), half); });
    } else if (to.kind == Kind::kTf32) {
        result = to_tf32(a, each.rounding);
    } else if (is_integer(to) && is_integer(from)) {
        result = from.kind == Kind::kSigned ? static_cast<uint64_t>(to_signed(a, from)) : a;
    } else if (is_integer(to)) {
        const double value = rounded_to_integer(to_number(a, from), each.rounding);
        if (to.bits == 64) {
            result = to.kind == Kind::kSigned ? static_cast<uint64_t>(saturated<long long>(value))
                                              : saturated<unsigned long long>(value);
        } else {
            result =
                to.kind == Kind::kSigned ? static_cast<uint64_t>(saturated<int>(value)) : saturated<unsigned>(value);
        }
    } else {
        result = from_number(clipped(to_number(a, from)), to);
    }
    write(machine, each.operands[0], result, to);
}

// ---- Memory --------------------------------------------------------------------------------------------------------

char* address(Machine& machine, const Operand& operand, bool shared) {
    uint64_t value = machine.at(operand.number) + static_cast<uint64_t>(operand.value);
    for (const Operand& offset : operand.elements)
        value += static_cast<uint64_t>(static_cast<int32_t>(read(machine, offset)));
    return static_cast<char*>(shared ? __cvta_shared_to_generic(static_cast<uint32_t>(value))
                                     : reinterpret_cast<void*>(value));
}

char* aligned(Machine& machine, const Operand& operand, bool shared, size_t bytes) {
    char* const where = address(machine, operand, shared);
    if (reinterpret_cast<uintptr_t>(where) % bytes == 0) return where;
    throw std::runtime_error(std::string(machine.place.file) + ":" + std::to_string(machine.place.line) +
                             ": misaligned address of " + std::to_string(bytes) + " bytes");
}

void load_or_store(Machine& machine, const Instruction& each) {
    const bool load = each.operation == Operation::kLoad;
    const size_t bytes = each.type.bits / 8;
    const Operand& data = each.operands[load ? 0 : 1];
    char* const where = aligned(machine, each.operands[load ? 1 : 0], each.shared, bytes * each.width);
    for (int i = 0; i < each.width; ++i) {
        const Operand& element = data.form == Operand::Form::kVector ? data.elements[i] : data;
        uint64_t value = 0;
        if (load) {
            std::memcpy(&value, where + i * bytes, bytes);
            if (each.type.kind == Kind::kSigned) value = static_cast<uint64_t>(to_signed(value, each.type));
            write(machine, element, value, each.type.bits < 32 ? Type{} : each.type);
        } else {
            value = read(machine, element);
            std::memcpy(where + i * bytes, &value, bytes);
        }
    }
}

void atomic_add(Machine& machine, const Instruction& each) {
    const bool returns = each.operands.size() == 3;
    const uint64_t value = read(machine, each.operands[returns ? 2 : 1], each.type);
    char* const where = aligned(machine, each.operands[returns ? 1 : 0], each.shared, each.type.bits / 8);
    const auto sum = [&](uint64_t old) {
        if (is_integer(each.type)) return old + value;
        return from_number(to_number(old, each.type) + to_number(value, each.type), each.type);
    };
    uint64_t before;
    if (each.type.bits == 64) {
        before = atomic_update(reinterpret_cast<uint64_t*>(where), [&](uint64_t old) { return sum(old); });
    } else {
        before = atomic_update(reinterpret_cast<uint32_t*>(where),
                               [&](uint32_t old) { return static_cast<uint32_t>(sum(old)); });
    }
    if (returns) write(machine, each.operands[0], before, each.type);
}

// cp.async [to], [from], bytes, bytes of the source or a predicate that says to ignore it.
void copy_async(Machine& machine, const Instruction& each) {
    const size_t bytes = read(machine, each.operands[2], {});
    const size_t from_source = each.operands.size() > 3 ? read(machine, each.operands[3], {}) : bytes;
    async_copy(address(machine, each.operands[0], true), address(machine, each.operands[1], false), bytes, from_source);
}

void copy_wait(Machine& machine, const Instruction& each) {
    if (each.operands.empty()) async_commit();  // wait_all covers what is in no group yet
    async_wait(each.operands.empty() ? 0 : read(machine, each.operands[0], {}));
}

// ---- The warp ------------------------------------------------------------------------------------------------------

// shfl.sync.mode d|p, a, lane, c, mask: c has the last lane of a segment, and which bits of the lane make a segment.
void shuffle_lanes(Machine& machine, const Instruction& each) {
    const uint64_t value = read(machine, each.operands[1], {}), b = read(machine, each.operands[2], {}) & 31;
    const uint64_t c = read(machine, each.operands[3], {}), own = lane();
    const uint64_t segment = c >> 8 & 31, last = (own & segment) | (c & 31 & ~segment), first = own & segment;
    int64_t source = 0;
    bool inside = true;
    switch (each.shuffle) {
        case Shuffle::kUp:
            source = static_cast<int64_t>(own) - static_cast<int64_t>(b);
            inside = source >= static_cast<int64_t>(last);
            break;
        case Shuffle::kDown:
            source = static_cast<int64_t>(own + b);
            inside = source <= static_cast<int64_t>(last);
            break;
        case Shuffle::kButterfly:
            source = static_cast<int64_t>(own ^ b);
            inside = source <= static_cast<int64_t>(last);
            break;
        case Shuffle::kIndex:
            source = static_cast<int64_t>(first | (b & ~segment));
            inside = source <= static_cast<int64_t>(last);
            break;
    }
    const auto mask = static_cast<unsigned>(read(machine, each.operands[4], {}));
    const unsigned from = inside ? static_cast<unsigned>(source) : static_cast<unsigned>(own);
    write(machine, each.operands[0], shuffle(mask, value, from, machine.place), {});
}

void load_matrices(Machine& machine, const Instruction& each) {
    uint32_t results[4];
    load_matrix(results, address(machine, each.operands[1], true), each.width, each.transposed, machine.place);
    const Operand& target = each.operands[0];
    for (int i = 0; i < each.width; ++i) {
        write(machine, target.form == Operand::Form::kVector ? target.elements[i] : target, results[i], {});
    }
}

void multiply_matrices(Machine& machine, const Instruction& each) {
    MatrixOperands operands{};
    const auto fill = [&](uint32_t* to, size_t most, const Operand& from) {
        const std::vector<Operand> single{from};
        const std::vector<Operand>& elements = from.form == Operand::Form::kVector ? from.elements : single;
        for (size_t i = 0; i < std::min(most, elements.size()); ++i) {
            to[i] = static_cast<uint32_t>(read(machine, elements[i]));
        }
    };
    fill(operands.a, 4, each.operands[1]);
    fill(operands.b, 2, each.operands[2]);
    fill(operands.c, 4, each.operands[3]);
    multiply_matrix(operands, each.from, each.accumulator, each.width, machine.place);
    const Operand& target = each.operands[0];
    for (size_t i = 0; i < target.elements.size(); ++i) write(machine, target.elements[i], operands.c[i], {});
}

void execute(Machine& machine, const Instruction& each) {
    switch (each.operation) {
        case Operation::kMove:
            write(machine, each.operands[0], read(machine, each.operands[1], each.type), each.type);
            break;
        case Operation::kToShared:
            write(machine, each.operands[0],
                  __cvta_generic_to_shared(reinterpret_cast<const void*>(read(machine, each.operands[1]))), each.type);
            break;
        case Operation::kFromShared:
            write(machine, each.operands[0],
                  reinterpret_cast<uint64_t>(__cvta_shared_to_generic(read(machine, each.operands[1], {}))), each.type);
            break;
        case Operation::kLoad:
        case Operation::kStore:
            load_or_store(machine, each);
            break;
        case Operation::kCompare:
            compare(machine, each);
            break;
        case Operation::kSelect:
            write(machine, each.operands[0], read(machine, each.operands[read(machine, each.operands[3]) ? 1 : 2]),
                  each.type);
            break;
        case Operation::kMultiplyAdd:
        case Operation::kMultiplyAddWide:
            multiply_add(machine, each);
            break;
        case Operation::kConvert:
            convert(machine, each);
            break;
        case Operation::kPermute:
            write(machine, each.operands[0],
                  __byte_perm(static_cast<unsigned>(read(machine, each.operands[1])),
                              static_cast<unsigned>(read(machine, each.operands[2])),
                              static_cast<unsigned>(read(machine, each.operands[3]))),
                  {});
            break;
        case Operation::kLogic3: {
            const uint64_t a = read(machine, each.operands[1]), b = read(machine, each.operands[2]);
            const uint64_t c = read(machine, each.operands[3]), table = read(machine, each.operands[4]);
            uint64_t result = 0;
            for (int i = 0; i < 8; ++i) {
                if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
            }
            write(machine, each.operands[0], result, {});
            break;
        }
        case Operation::kAtomicAdd:
            atomic_add(machine, each);
            break;
        case Operation::kCopyAsync:
            copy_async(machine, each);
            break;
        case Operation::kCopyCommit:
            async_commit();
            break;
        case Operation::kCopyWait:
            copy_wait(machine, each);
            break;
        case Operation::kBlockBarrier:
            block_barrier(machine.place, false);
            break;
        case Operation::kWarpBarrier:
            warp_barrier(machine.place, static_cast<unsigned>(read(machine, each.operands[0])));
            break;
        case Operation::kShuffle:
            shuffle_lanes(machine, each);
            break;
        case Operation::kFence:
            __threadfence();
            break;
        case Operation::kNothing:
            break;
        case Operation::kLoadMatrix:
            load_matrices(machine, each);
            break;
        case Operation::kMatrixMultiply:
            multiply_matrices(machine, each);
            break;
        default:
            arithmetic(machine, each);
    }
}

}  // namespace

Program::Program(const char* text, const char* file, int line)
    : code_(std::make_unique<const Code>(decode(text))), place_{"inline PTX", file, line} {}

Program::~Program() = default;

void Program::execute(uint64_t* registers) const {
    if (code_->named_registers > kMostNamed) throw std::runtime_error("inline PTX declares more than 256 registers");
    Machine machine;
    machine.operands = registers;
    machine.place = place_;
    std::fill_n(machine.named, code_->named_registers, 0);
    for (const Instruction& each : code_->instructions) {
        const bool skipped = each.guard >= 0 && (machine.at(each.guard) != 0) == each.guard_negated;
        if (!skipped) ptx::execute(machine, each);
    }
}

}  // namespace emulator::ptx
