// Inline PTX, decoded: one Instruction a statement. The decoder knows no GPU state, so that the rewriter can ask it
// which instructions there are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emulator::ptx {

enum class Kind : uint8_t { kBits, kUnsigned, kSigned, kFloat, kBfloat, kTf32, kHalfPair, kBfloatPair, kPredicate };
struct Type {
    Kind kind = Kind::kBits;
    uint8_t bits = 32;
};

enum class Operation : uint8_t {
    kMove,
    kToShared,    // cvta.to.shared
    kFromShared,  // cvta.shared
    kLoad,
    kStore,
    kCompare,
    kSelect,
    kAnd,
    kOr,
    kXor,
    kNot,
    kShiftLeft,
    kShiftRight,
    kAdd,
    kSubtract,
    kMultiply,
    kMultiplyWide,
    kMultiplyHigh,
    kMultiplyAdd,
    kMultiplyAddWide,
    kDivide,
    kRemainder,
    kMinimum,
    kMaximum,
    kNegate,
    kAbsolute,
    kReciprocal,
    kSquareRoot,
    kReciprocalSquareRoot,
    kExp2,
    kLog2,
    kTanh,
    kConvert,
    kPermute,
    kLogic3,
    kExtractBits,
    kInsertBits,
    kCountBits,
    kLeadingZeros,
    kReverseBits,
    kFunnelShift,
    kIsSpace,
    kVote,
    kBranch,
    kAtomicAdd,
    kCopyAsync,
    kCopyCommit,
    kCopyWait,
    kBlockBarrier,
    kWarpBarrier,
    kShuffle,
    kFence,
    kSleep,
    kNothing,
    kLoadMatrix,
    kMatrixMultiply,
};

enum class Comparison : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
enum class Rounding : uint8_t { kNone, kNearest, kZero, kUp, kDown, kNearestAway };
enum class Vote : uint8_t { kBallot, kAny, kAll };
enum class Shuffle : uint8_t { kIndex, kUp, kDown, kButterfly };
enum class Special : uint8_t {
    kTidX,
    kTidY,
    kTidZ,
    kNtidX,
    kNtidY,
    kNtidZ,
    kCtaidX,
    kCtaidY,
    kCtaidZ,
    kNctaidX,
    kNctaidY,
    kNctaidZ,
    kLane,
    kWarp,
    kSm,
    kClock
};

struct Operand {
    enum class Form : uint8_t { kRegister, kImmediate, kAddress, kVector, kSpecial, kSink };
    Form form = Form::kRegister;
    bool negated = false;  // !p
    int number = 0;        // of a register, or a Special
    int64_t value = 0;     // of an immediate, or the offset within an address
    std::vector<Operand> elements{};
};

struct Instruction {
    Operation operation;
    Type type{}, from{};  // `from` of a conversion, or of a matrix's operands
    Type accumulator{};   // of a matrix product, of both C and D
    Comparison comparison = Comparison::kEqual;
    Rounding rounding = Rounding::kNone;
    Shuffle shuffle = Shuffle::kIndex;
    Vote vote = Vote::kBallot;
    bool shared = false, transposed = false, relu = false;
    bool is_strong = false;                 // volatile, or ordered: of a load or store that others may wait with
    int width = 1;                          // of a vector, or the count of an ldmatrix; K of a matrix product
    bool to_right = false, clamps = false;  // of a funnel shift
    int target = 0;                         // of a branch: the number of an instruction
    int guard = -1;
    bool guard_negated = false;
    std::vector<Operand> operands{};
};

struct Code {
    std::vector<Instruction> instructions;
    int named_registers = 0;  // declared with .reg; they follow the statement's operands
};

// The first instruction that there is none for, or empty.
std::string unknown_instruction(std::string_view text);

Code decode(std::string_view text);

}  // namespace emulator::ptx
