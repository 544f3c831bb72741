// asm volatile("add.u32 %0, %1, %2;" : "=r"(a) : "r"(b), "r"(c) : "memory");
#include "../runtime/ptx_code.h"
#include "rewriter.h"

namespace emulator {
namespace {

// The text of a string literal, without quotes and escapes.
std::string unquoted(std::string_view literal) {
    std::string text;
    const size_t open = literal.find('"');
    if (literal.find('R') < open) {  // R"delimiter(...)delimiter"
        const size_t begin = literal.find('(', open), end = literal.rfind(')');
        return std::string(literal.substr(begin + 1, end - begin - 1));
    }
    for (size_t i = open + 1; i + 1 < literal.size(); ++i) {
        if (literal[i] != '\\') {
            text += literal[i];
        } else if (++i + 1 < literal.size()) {
            text += literal[i] == 'n' ? '\n' : literal[i] == 't' ? '\t' : literal[i];
        }
    }
    return text;
}

bool is_blank(const std::string& text) {
    return text.find_first_not_of(" \t\n") == std::string::npos;
}

std::string as_identifier(std::string text) {
    for (char& c : text) {
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    }
    return text;
}

// "=r"(a) becomes output<false>(a), "+r"(a) output<true>(a), "r"(a) input<'r'>(a); the brackets stay as they are.
void rewrite_operand(Rewriter& source, size_t constraint) {
    const std::string text = unquoted(source[constraint].text);
    const bool output = text[0] == '=' || text[0] == '+';
    if (output) {
        source.replace(constraint,
                       text[0] == '+' ? ", ::emulator::ptx::output<true>" : ", ::emulator::ptx::output<false>");
    } else {
        source.replace(constraint, std::string(", ::emulator::ptx::input<'") + text[0] + "'>");
    }
}

}  // namespace

// What is rewritten is the frame; the operands stay where they are, to be rewritten as the rest of the source.
size_t rewrite_asm(Rewriter& source, size_t keyword) {
    size_t open = keyword + 1;
    while (source.is(open, "volatile") || source.is(open, "__volatile__") || source.is(open, "__volatile")) ++open;
    if (!source.is(open, "(")) return keyword;
    const size_t close = source.closing(open);
    std::string text;
    size_t end = open + 1;  // of the text
    for (; end < close && source[end].kind == Token::kLiteral; ++end) text += unquoted(source[end].text);
    // Without text it only keeps the compiler from moving memory accesses; a word after a declaration is its symbol.
    const bool symbol = source.is(keyword - 1, ")") && text.find_first_of(" \t\n;") == std::string::npos;
    if (is_blank(text) || symbol) return close;

    const std::string unknown = ptx::unknown_instruction(text);
    if (!unknown.empty()) {
        // Of interest only where the kernel comes by: an undefined function, which the linker names.
        const std::string name = "emulator_has_no_PTX_" + as_identifier(unknown);
        source.remove(keyword + 1, close);
        source.replace(keyword, "do { void " + name + "() __asm__(\"" + name + "\"); " + name + "(); } while (0)");
        return close;
    }
    for (size_t i = keyword; i < open; ++i) source.replace(i, "");
    source.insert_before(open, "do { static const ::emulator::ptx::Program emulator_program");
    if (end == close) source.insert_before(close, "); ::emulator::ptx::run(emulator_program");
    int section = 0;
    for (size_t i = end; i < close; ++i) {
        if (source.is(i, ":")) {
            source.replace(i, ++section == 1 ? "); ::emulator::ptx::run(emulator_program" : "");
        } else if (section > 2 || source.is(i, ",")) {
            source.replace(i, "");
        } else if (source[i].kind == Token::kLiteral) {
            rewrite_operand(source, i);  // a comma before it may be missing: nvcc does not mind
        } else if (source.is(i, "(")) {
            i = source.closing(i);
        }
    }
    source.insert_after(close, "; } while (0)");
    return end - 1;
}

}  // namespace emulator
