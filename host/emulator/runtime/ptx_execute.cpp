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
#include "ptx_numbers.h"

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

Type twice(Type type) {
    return {type.kind, static_cast<uint8_t>(type.bits * 2)};
}

void arithmetic(Machine& machine, const Instruction& each) {
    const Type type = each.type;
    const bool shifts = each.operation == Operation::kShiftLeft || each.operation == Operation::kShiftRight;
    const uint64_t a = read(machine, each.operands[1], type);
    const uint64_t b = each.operands.size() > 2 ? read(machine, each.operands[2], shifts ? Type{} : type) : 0;
    write(machine, each.operands[0], arithmetic(each.operation, type, a, b),
          each.operation == Operation::kMultiplyWide ? twice(type) : type);
}

void multiply_add(Machine& machine, const Instruction& each) {
    const Type type = each.type, sum = each.operation == Operation::kMultiplyAddWide ? twice(type) : type;
    const uint64_t a = read(machine, each.operands[1], type), b = read(machine, each.operands[2], type);
    write(machine, each.operands[0], multiply_add(type, a, b, read(machine, each.operands[3], sum)), sum);
}

void compare(Machine& machine, const Instruction& each) {
    const uint64_t a = read(machine, each.operands[1], each.type), b = read(machine, each.operands[2], each.type);
    write(machine, each.operands[0], compare(each.comparison, each.type, a, b), {Kind::kPredicate, 1});
}

// cvt.to.from; two numbers into a pair: cvt.rn.f16x2.f32 d, high, low.
void convert(Machine& machine, const Instruction& each) {
    const uint64_t low = each.operands.size() > 2 ? read(machine, each.operands[2], each.from) : 0;
    write(machine, each.operands[0], convert(each, read(machine, each.operands[1], each.from), low), each.type);
}

// ---- Bits ----------------------------------------------------------------------------------------------------------

uint64_t extract_bits(Machine& machine, const Instruction& each) {
    return extract_bits(each.type, read(machine, each.operands[1], each.type), read(machine, each.operands[2], {}),
                        read(machine, each.operands[3], {}));
}
uint64_t insert_bits(Machine& machine, const Instruction& each) {
    return insert_bits(each.type, read(machine, each.operands[1], each.type),
                       read(machine, each.operands[2], each.type), read(machine, each.operands[3], {}),
                       read(machine, each.operands[4], {}));
}
uint64_t funnel_shift(Machine& machine, const Instruction& each) {
    return funnel_shift(each, read(machine, each.operands[1], {}), read(machine, each.operands[2], {}),
                        read(machine, each.operands[3], {}));
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
    if (each.is_strong) look(machine.place, !load);
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
    const auto sum = [&](uint64_t old) { return arithmetic(Operation::kAdd, each.type, old, value); };
    uint64_t before;
    if (each.type.bits == 64) {
        before = atomic_update(
            reinterpret_cast<uint64_t*>(where), [&](uint64_t old) { return sum(old); }, machine.place);
    } else {
        before = atomic_update(
            reinterpret_cast<uint32_t*>(where), [&](uint32_t old) { return static_cast<uint32_t>(sum(old)); },
            machine.place);
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

void vote_of_lanes(Machine& machine, const Instruction& each) {
    const bool own = read(machine, each.operands[1]) != 0;
    const auto mask = static_cast<unsigned>(read(machine, each.operands[2], {}));
    const unsigned votes = ballot(mask, own, machine.place);
    const bool all = votes == mask, any = votes != 0;
    write(machine, each.operands[0],
          each.vote == Vote::kBallot ? votes
          : each.vote == Vote::kAny  ? any
                                     : all,
          each.vote == Vote::kBallot ? Type{} : Type{Kind::kPredicate, 1});
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
        case Operation::kExtractBits:
            write(machine, each.operands[0], extract_bits(machine, each), each.type);
            break;
        case Operation::kInsertBits:
            write(machine, each.operands[0], insert_bits(machine, each), each.type);
            break;
        case Operation::kCountBits:
            write(machine, each.operands[0], std::popcount(read(machine, each.operands[1], each.type)), {});
            break;
        case Operation::kLeadingZeros:
            write(machine, each.operands[0],
                  std::countl_zero(read(machine, each.operands[1], each.type)) - (64 - each.type.bits), {});
            break;
        case Operation::kReverseBits:
            write(machine, each.operands[0],
                  __brevll(read(machine, each.operands[1], each.type)) >> (64 - each.type.bits), each.type);
            break;
        case Operation::kFunnelShift:
            write(machine, each.operands[0], funnel_shift(machine, each), {});
            break;
        case Operation::kIsSpace:
            write(machine, each.operands[0],
                  is_shared_memory(reinterpret_cast<const void*>(read(machine, each.operands[1]))) == each.shared,
                  {Kind::kPredicate, 1});
            break;
        case Operation::kVote:
            vote_of_lanes(machine, each);
            break;
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
            __threadfence(machine.place.file, machine.place.line);
            break;
        case Operation::kSleep:
            wait_for_others(machine.place);
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
    for (size_t next = 0; next < code_->instructions.size();) {
        const Instruction& each = code_->instructions[next++];
        const bool skipped = each.guard >= 0 && (machine.at(each.guard) != 0) == each.guard_negated;
        if (skipped) continue;
        if (each.operation == Operation::kBranch) {
            next = static_cast<size_t>(each.target);
        } else {
            ptx::execute(machine, each);
        }
    }
}

}  // namespace emulator::ptx
