#include "ptx_code.h"

#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>

#include "../include/emulator/ptx.h"

namespace emulator::ptx {
namespace {

struct Unknown : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Parts = std::vector<std::string>;

Parts split(std::string_view text, char separator) {
    Parts parts;
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : separator;
        if (c == '{' || c == '[' || c == '(') ++depth;
        if (c == '}' || c == ']' || c == ')') --depth;
        if ((c == separator && depth == 0) || i == text.size()) {
            parts.emplace_back(text.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    return parts;
}

std::string trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

std::optional<Type> type_of(const std::string& part) {
    static const std::map<std::string, Type> types = {
        {"b8", {Kind::kBits, 8}},
        {"b16", {Kind::kBits, 16}},
        {"b32", {Kind::kBits, 32}},
        {"b64", {Kind::kBits, 64}},
        {"u8", {Kind::kUnsigned, 8}},
        {"u16", {Kind::kUnsigned, 16}},
        {"u32", {Kind::kUnsigned, 32}},
        {"u64", {Kind::kUnsigned, 64}},
        {"s8", {Kind::kSigned, 8}},
        {"s16", {Kind::kSigned, 16}},
        {"s32", {Kind::kSigned, 32}},
        {"s64", {Kind::kSigned, 64}},
        {"f16", {Kind::kFloat, 16}},
        {"f32", {Kind::kFloat, 32}},
        {"f64", {Kind::kFloat, 64}},
        {"bf16", {Kind::kBfloat, 16}},
        {"tf32", {Kind::kTf32, 32}},
        {"f16x2", {Kind::kHalfPair, 32}},
        {"bf16x2", {Kind::kBfloatPair, 32}},
        {"pred", {Kind::kPredicate, 1}},
    };
    const auto found = types.find(part);
    return found == types.end() ? std::nullopt : std::optional(found->second);
}

bool has(const Parts& parts, std::string_view part) {
    for (const std::string& each : parts) {
        if (each == part) return true;
    }
    return false;
}

// One statement after the other: "@p ld.global.f32 %0, [%1]".
class Decoder {
  public:
    Code decode(std::string_view text) {
        std::string plain;
        for (size_t i = 0; i < text.size(); ++i) {
            if (text.substr(i, 2) == "//") {
                while (i < text.size() && text[i] != '\n') ++i;
            }
            if (i < text.size()) plain += text[i];
        }
        for (const std::string& statement : split_statements(plain)) add(statement);
        for (const auto& [instruction, label] : branches_) {
            const auto found = labels_.find(label);
            if (found == labels_.end()) throw Unknown("bra to " + label);
            code_.instructions[instruction].target = found->second;
        }
        return std::move(code_);
    }

  private:
    // Braces that group statements go, those of a vector stay.
    static Parts split_statements(const std::string& text) {
        Parts statements;
        std::string current;
        const auto finish = [&] {
            if (!trimmed(current).empty()) statements.push_back(trimmed(current));
            current.clear();
        };
        bool vector = false;
        for (char c : text) {
            if (c == ';') {
                finish();
            } else if (c == '{' && trimmed(current).empty()) {
                continue;
            } else if (c == '}' && !vector) {
                finish();
            } else {
                if (c == '{') vector = true;
                if (c == '}') vector = false;
                current += c;
            }
        }
        finish();
        return statements;
    }

    void add(const std::string& statement) {
        if (statement.rfind(".reg", 0) == 0) return declare(statement);
        std::string rest = statement;
        if (const size_t colon = label_end(rest); colon != std::string::npos) {
            labels_[trimmed(rest.substr(0, colon))] = static_cast<int>(code_.instructions.size());
            rest = trimmed(rest.substr(colon + 1));
            if (rest.empty()) return;
        }
        Instruction instruction{};
        if (rest[0] == '@') {
            const size_t end = rest.find_first_of(" \t\n");
            instruction.guard_negated = rest[1] == '!';
            instruction.guard =
                number_of(rest.substr(instruction.guard_negated ? 2 : 1, end - 1 - instruction.guard_negated));
            rest = trimmed(std::string_view(rest).substr(end));
        }
        const size_t end = std::min(rest.find_first_of(" \t\n"), rest.size());
        name_ = rest.substr(0, end);
        if (name_ == "bra" || name_ == "bra.uni") {
            branches_.emplace_back(code_.instructions.size(), trimmed(rest.substr(end)));
            instruction.operation = Operation::kBranch;
            code_.instructions.push_back(std::move(instruction));
            return;
        }
        for (const std::string& operand : split(rest.substr(end), ',')) {
            const std::string text = trimmed(operand);
            if (!text.empty()) instruction.operands.push_back(operand_of(text));
        }
        interpret(instruction, split(name_, '.'));
        code_.instructions.push_back(std::move(instruction));
    }

    // The ':' after the label that a statement begins with, or npos.
    static size_t label_end(const std::string& statement) {
        const size_t end = statement.find_first_of(": \t\n.,[");
        return end < statement.size() && statement[end] == ':' ? end : std::string::npos;
    }

    // .reg .pred p, q;   .reg .b32 r<4>;
    void declare(const std::string& statement) {
        const size_t type = statement.find('.', 4);
        const size_t names = statement.find_first_of(" \t", type);
        for (const std::string& each : split(statement.substr(names), ',')) {
            const std::string name = trimmed(each);
            const size_t open = name.find('<');
            if (open == std::string::npos) {
                names_[name] = code_.named_registers++;
                continue;
            }
            for (int i = 0; i < std::atoi(name.c_str() + open + 1); ++i) {
                names_[name.substr(0, open) + std::to_string(i)] = code_.named_registers++;
            }
        }
    }

    [[noreturn]] void unknown() const { throw Unknown(name_); }

    // %3 is the statement's operand 3; a declared name follows the operands.
    int number_of(const std::string& name) const {
        if (name[0] == '%' && name.size() > 1 && std::isdigit(static_cast<unsigned char>(name[1]))) {
            return std::atoi(name.c_str() + 1);
        }
        const auto found = names_.find(name);
        if (found == names_.end()) throw Unknown(name_.empty() ? name : name_ + " of " + name);
        return kMostOperands + found->second;
    }

    Operand operand_of(std::string text) const {
        Operand operand;
        if (text == "_") {
            operand.form = Operand::Form::kSink;
        } else if (text[0] == '{') {
            operand.form = Operand::Form::kVector;
            for (const std::string& each : split(text.substr(1, text.find('}') - 1), ',')) {
                operand.elements.push_back(operand_of(trimmed(each)));
            }
        } else if (text[0] == '[') {
            operand = address_of(trimmed(std::string_view(text).substr(1, text.find(']') - 1)));
        } else if (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-') {
            operand.form = Operand::Form::kImmediate;
            operand.value = immediate(text);
        } else if (const auto special = special_of(text)) {
            operand.form = Operand::Form::kSpecial;
            operand.number = static_cast<int>(*special);
        } else {
            if (text[0] == '!') {
                operand.negated = true;
                text = trimmed(std::string_view(text).substr(1));
            }
            operand.number = number_of(text);
        }
        return operand;
    }

    Operand address_of(const std::string& text) const {
        Operand operand;
        const size_t plus = text.find_first_of("+");
        operand.number = number_of(trimmed(std::string_view(text).substr(0, plus)));
        if (plus != std::string::npos) {
            const std::string offset = trimmed(std::string_view(text).substr(plus + 1));
            if (offset[0] == '%') {  // "n" operand as an offset
                operand.elements.push_back(operand_of(offset));
            } else {
                operand.value = immediate(offset);
            }
        }
        operand.form = Operand::Form::kAddress;
        return operand;
    }

    // 12, -1, 0x10, and 0f3F800000 for the float of those bits.
    static int64_t immediate(const std::string& text) {
        const bool real =
            text.size() > 2 && text[0] == '0' && std::string_view("fFdD").find(text[1]) != std::string_view::npos;
        if (real) return static_cast<int64_t>(std::strtoull(text.c_str() + 2, nullptr, 16));
        return text[0] == '-' ? std::strtoll(text.c_str(), nullptr, 0)
                              : static_cast<int64_t>(std::strtoull(text.c_str(), nullptr, 0));
    }

    static std::optional<Special> special_of(const std::string& text) {
        static const std::map<std::string, Special> specials = {
            {"tid.x", Special::kTidX},       {"tid.y", Special::kTidY},       {"tid.z", Special::kTidZ},
            {"ntid.x", Special::kNtidX},     {"ntid.y", Special::kNtidY},     {"ntid.z", Special::kNtidZ},
            {"ctaid.x", Special::kCtaidX},   {"ctaid.y", Special::kCtaidY},   {"ctaid.z", Special::kCtaidZ},
            {"nctaid.x", Special::kNctaidX}, {"nctaid.y", Special::kNctaidY}, {"nctaid.z", Special::kNctaidZ},
            {"laneid", Special::kLane},      {"warpid", Special::kWarp},      {"smid", Special::kSm},
            {"clock", Special::kClock},      {"clock64", Special::kClock},    {"globaltimer", Special::kClock},
        };
        const auto found = specials.find(text.substr(std::min(text.find_first_not_of('%'), text.size())));
        return found == specials.end() ? std::nullopt : std::optional(found->second);
    }

    void interpret(Instruction& instruction, const Parts& parts);
    bool interpret_copy(Instruction& instruction, const Parts& parts);
    bool interpret_matrix(Instruction& instruction, const Parts& parts);
    void interpret_modifiers(Instruction& instruction, const Parts& parts);

    Code code_;
    std::map<std::string, int> names_, labels_;
    std::vector<std::pair<size_t, std::string>> branches_;  // instructions and the labels that they go to
    std::string name_;                                      // of the instruction at hand
};

void Decoder::interpret_modifiers(Instruction& instruction, const Parts& parts) {
    std::vector<Type> types;
    for (size_t i = 1; i < parts.size(); ++i) {
        const std::string& part = parts[i];
        if (const auto type = type_of(part)) types.push_back(*type);
        if (part == "v2") instruction.width = 2;
        if (part == "v4") instruction.width = 4;
        if (part.rfind("shared", 0) == 0) instruction.shared = true;
        if (part == "rn" || part == "rni") instruction.rounding = Rounding::kNearest;
        if (part == "rz" || part == "rzi") instruction.rounding = Rounding::kZero;
        if (part == "rp" || part == "rpi") instruction.rounding = Rounding::kUp;
        if (part == "rm" || part == "rmi") instruction.rounding = Rounding::kDown;
        if (part == "rna") instruction.rounding = Rounding::kNearestAway;
        if (part == "relu") instruction.relu = true;
        const bool strong = part == "volatile" || part == "acquire" || part == "relaxed" || part == "release";
        if (strong || part == "cv" || part == "cg") instruction.is_strong = true;
    }
    if (!types.empty()) {
        instruction.type = types[0];
        instruction.from = types.back();
    }
}

bool Decoder::interpret_copy(Instruction& instruction, const Parts& parts) {
    if (name_.rfind("cp.async.", 0) != 0) return false;
    if (has(parts, "bulk") || has(parts, "mbarrier")) unknown();
    if (has(parts, "commit_group")) {
        instruction.operation = Operation::kCopyCommit;
    } else if (has(parts, "wait_group") || has(parts, "wait_all")) {
        instruction.operation = Operation::kCopyWait;
    } else {
        instruction.operation = Operation::kCopyAsync;
    }
    return true;
}

bool Decoder::interpret_matrix(Instruction& instruction, const Parts& parts) {
    if (parts[0] == "ldmatrix") {
        instruction.operation = Operation::kLoadMatrix;
        if (!has(parts, "m8n8")) unknown();
        instruction.width = has(parts, "x4") ? 4 : has(parts, "x2") ? 2 : 1;
        instruction.transposed = has(parts, "trans");
        return true;
    }
    if (name_.rfind("mma.sync.aligned.m16n8k", 0) != 0) return false;
    instruction.operation = Operation::kMatrixMultiply;
    instruction.width = std::atoi(name_.c_str() + 23);
    const bool layout = has(parts, "row") && has(parts, "col");
    const auto d = type_of(parts[parts.size() - 4]), a = type_of(parts[parts.size() - 3]);
    const auto b = type_of(parts[parts.size() - 2]), c = type_of(parts[parts.size() - 1]);
    const bool known = layout && a && b && c && d && a->kind == b->kind && c->kind == d->kind && c->bits == d->bits &&
                       (a->kind == Kind::kTf32 || a->bits == 16 || a->bits == 8) && instruction.operands.size() == 4;
    if (!known) unknown();
    instruction.from = *a;
    instruction.accumulator = *c;
    return true;
}

void Decoder::interpret(Instruction& instruction, const Parts& parts) {
    static const std::map<std::string, Operation> simple = {
        {"mov", Operation::kMove},
        {"ld", Operation::kLoad},
        {"ldu", Operation::kLoad},
        {"st", Operation::kStore},
        {"setp", Operation::kCompare},
        {"selp", Operation::kSelect},
        {"and", Operation::kAnd},
        {"or", Operation::kOr},
        {"xor", Operation::kXor},
        {"not", Operation::kNot},
        {"shl", Operation::kShiftLeft},
        {"shr", Operation::kShiftRight},
        {"add", Operation::kAdd},
        {"sub", Operation::kSubtract},
        {"div", Operation::kDivide},
        {"rem", Operation::kRemainder},
        {"min", Operation::kMinimum},
        {"max", Operation::kMaximum},
        {"neg", Operation::kNegate},
        {"abs", Operation::kAbsolute},
        {"rcp", Operation::kReciprocal},
        {"sqrt", Operation::kSquareRoot},
        {"rsqrt", Operation::kReciprocalSquareRoot},
        {"ex2", Operation::kExp2},
        {"lg2", Operation::kLog2},
        {"tanh", Operation::kTanh},
        {"cvt", Operation::kConvert},
        {"prmt", Operation::kPermute},
        {"lop3", Operation::kLogic3},
        {"fma", Operation::kMultiplyAdd},
        {"bfe", Operation::kExtractBits},
        {"bfi", Operation::kInsertBits},
        {"popc", Operation::kCountBits},
        {"clz", Operation::kLeadingZeros},
        {"brev", Operation::kReverseBits},
        {"membar", Operation::kFence},
        {"fence", Operation::kFence},
        {"prefetch", Operation::kNothing},
        {"prefetchu", Operation::kNothing},
        {"nanosleep", Operation::kSleep},
        {"griddepcontrol", Operation::kNothing},
    };
    if (interpret_copy(instruction, parts) || interpret_matrix(instruction, parts)) return;
    interpret_modifiers(instruction, parts);
    const std::string& base = parts[0];
    if (const auto found = simple.find(base); found != simple.end()) {
        instruction.operation = found->second;
        if (base == "fence" && has(parts, "proxy")) unknown();
        if (base == "setp") {
            static const std::map<std::string, Comparison> comparisons = {
                {"eq", Comparison::kEqual},       {"ne", Comparison::kNotEqual},  {"lt", Comparison::kLess},
                {"le", Comparison::kLessEqual},   {"gt", Comparison::kGreater},   {"ge", Comparison::kGreaterEqual},
                {"lo", Comparison::kLess},        {"ls", Comparison::kLessEqual}, {"hi", Comparison::kGreater},
                {"hs", Comparison::kGreaterEqual}};
            const auto comparison = comparisons.find(parts.size() > 1 ? parts[1] : "");
            if (comparison == comparisons.end() || parts.size() != 3) unknown();
            instruction.comparison = comparison->second;
        }
    } else if (base == "mul") {
        instruction.operation = has(parts, "wide") ? Operation::kMultiplyWide
                                : has(parts, "hi") ? Operation::kMultiplyHigh
                                                   : Operation::kMultiply;
    } else if (base == "mad") {
        if (has(parts, "hi")) unknown();
        instruction.operation = has(parts, "wide") ? Operation::kMultiplyAddWide : Operation::kMultiplyAdd;
    } else if (base == "cvta") {
        instruction.operation = !instruction.shared ? Operation::kMove
                                : has(parts, "to")  ? Operation::kToShared
                                                    : Operation::kFromShared;
    } else if ((base == "red" || base == "atom") && has(parts, "add") && instruction.width == 1) {
        instruction.operation = Operation::kAtomicAdd;
    } else if (name_ == "bar.sync" || name_ == "barrier.sync" || name_ == "bar.cta.sync" ||
               name_ == "barrier.sync.aligned" || name_ == "barrier.cta.sync.aligned") {
        instruction.operation = Operation::kBlockBarrier;  // the one of all threads
        const bool whole = instruction.operands.size() == 1 &&
                           instruction.operands[0].form == Operand::Form::kImmediate &&
                           instruction.operands[0].value == 0;
        if (!whole) throw Unknown(name_ + " of other than all threads at barrier 0");
    } else if (base == "shf") {
        instruction.operation = Operation::kFunnelShift;
        instruction.to_right = has(parts, "r");
        instruction.clamps = has(parts, "clamp");
    } else if (base == "isspacep" && (has(parts, "shared") || has(parts, "global"))) {
        instruction.operation = Operation::kIsSpace;
    } else if (base == "vote" && has(parts, "sync") && !has(parts, "uni")) {
        instruction.operation = Operation::kVote;
        instruction.vote = has(parts, "ballot") ? Vote::kBallot : has(parts, "any") ? Vote::kAny : Vote::kAll;
    } else if (name_ == "bar.warp.sync") {
        instruction.operation = Operation::kWarpBarrier;
    } else if (name_.rfind("shfl.sync.", 0) == 0 && instruction.operands.size() == 5 && parts.back() == "b32") {
        instruction.operation = Operation::kShuffle;
        instruction.shuffle = has(parts, "bfly")   ? Shuffle::kButterfly
                              : has(parts, "up")   ? Shuffle::kUp
                              : has(parts, "down") ? Shuffle::kDown
                                                   : Shuffle::kIndex;
    } else {
        unknown();
    }
}

}  // namespace

std::string unknown_instruction(std::string_view text) {
    try {
        decode(text);
        return {};
    } catch (const Unknown& error) {
        return error.what();
    }
}

Code decode(std::string_view text) {
    return Decoder().decode(text);
}

}  // namespace emulator::ptx
