// kernel<T, 16><<<grid, block, shared, stream>>>(arguments)
#include <array>

#include "rewriter.h"

namespace emulator {
namespace {

constexpr const char* kAdvice =
    "write it as kernel<<<grid, block, shared, stream>>>(arguments), kernel being a name, a template-id, a pointer "
    "variable or a parenthesised expression";

// Words that can stand before a kernel's name and are no part of it.
bool is_keyword(std::string_view word) {
    constexpr std::array keywords{"return", "else", "do",    "if",  "while", "for",
                                  "switch", "case", "throw", "and", "or",    "not"};
    for (std::string_view keyword : keywords) {
        if (word == keyword) return true;
    }
    return false;
}

// The '<' that opens the template argument list closed at `close`, or size().
size_t template_opening(const Rewriter& source, size_t close) {
    int depth = 0;
    for (size_t i = close + 1; i-- > 0;) {
        if (source.is(i, ")") || source.is(i, "]") || source.is(i, "}")) {
            i = source.opening(i);
            if (i == source.size()) return i;
        } else if (source.is(i, ">")) {
            ++depth;
        } else if (source.is(i, "<")) {
            const bool shift = i > 0 && source.is(i - 1, "<") && source.adjacent(i);
            if (shift) {
                --i;
            } else if (--depth == 0) {
                return i;
            }
        } else if (source.is(i, ";")) {
            break;
        }
    }
    return source.size();
}

bool names_something(const Rewriter& source, size_t i) {
    return i < source.size() && source[i].kind == Token::kIdentifier && !is_keyword(source[i].text);
}

// The first token of the postfix expression that ends at `last`: a::b<c>::d<e>, f(x), table[i], object.member, (*p).
size_t expression_begin(const Rewriter& source, size_t last, size_t launch) {
    const auto fail = [&]() -> size_t { source.unsupported(launch, "launch of this form", kAdvice); };
    size_t i = last;
    while (true) {
        if (source.is(i, ">")) {
            i = template_opening(source, i);
            if (i == source.size() || i == 0 || !names_something(source, --i)) return fail();
        } else if (source.is(i, ")") || source.is(i, "]")) {
            const bool subscript = source.is(i, "]");
            i = source.opening(i);
            if (i == source.size()) return fail();
            const bool applied = i > 0 && (names_something(source, i - 1) || source.is(i - 1, "]") ||
                                           (subscript && source.is(i - 1, ")")));
            if (applied) {
                --i;
                continue;
            }
            if (subscript) return fail();
            return i;
        } else if (!names_something(source, i)) {
            return fail();
        }
        if (i > 0 && source.is(i - 1, "template")) --i;
        if (i >= 2 && source.is(i - 1, ":") && source.is(i - 2, ":")) {
            i -= 2;
            const bool qualified = i > 0 && (names_something(source, i - 1) || source.is(i - 1, ">"));
            if (!qualified) return i;  // ::kernel
            --i;
        } else if (i >= 2 && source.is(i - 1, ".")) {
            i -= 2;
        } else if (i >= 3 && source.is(i - 1, ">") && source.is(i - 2, "-") && source.adjacent(i - 1)) {
            i -= 3;
        } else {
            return i;
        }
    }
}

// The last token of the ">>>" that ends the configuration opened before `first`.
size_t configuration_end(const Rewriter& source, size_t first, size_t launch) {
    for (size_t i = first; i < source.size(); ++i) {
        if (source.is(i, "(") || source.is(i, "[") || source.is(i, "{")) {
            i = source.closing(i);
        } else if (source.is(i, ";")) {
            break;
        } else if (source.is(i, ">")) {
            size_t end = i;  // with spaces between them too: `>> >`
            while (source.is(end + 1, ">")) ++end;
            if (end - i >= 2 && source.is(end + 1, "(")) return end;
            i = end;
        }
    }
    source.unsupported(launch, "launch without a closing >>>( on it", kAdvice);
}

std::string quoted(std::string_view text) {
    std::string literal = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') literal += '\\';
        literal += c;
    }
    return literal + '"';
}

}  // namespace

// Becomes ::emulator::kernel("name", <generic lambda around the callee>).configure(grid, block)(arguments): insertions
// only, so that nothing changes its line. The lambda has two uses: asked with Query it returns the kernel's address,
// if the name alone says which function is meant, so that the arguments convert to its parameter types and attributes
// set on that function apply; otherwise (template arguments left to deduction) it calls the kernel with the arguments.
size_t rewrite_launch(Rewriter& source, size_t open) {
    if (open == 0) source.unsupported(open, "launch of this form", kAdvice);
    const size_t begin = expression_begin(source, open - 1, open);
    const size_t end = configuration_end(source, open + 3, open);
    const std::string callee = source.joined(begin, open - 1);

    source.insert_before(begin, "::emulator::kernel(" + quoted(callee) +
                                    ", [&](auto emulator_use, auto... emulator_arguments) { "
                                    "if constexpr (::emulator::is_query<decltype(emulator_use)>) { "
                                    "if constexpr (requires { ::emulator::address(emulator_use, " +
                                    callee +
                                    "); }) "
                                    "return ::emulator::address(emulator_use, " +
                                    callee +
                                    "); "
                                    "else return ::emulator::Deduced{}; } else ");
    source.replace(open, "(emulator_arguments...); }).configure(");
    source.remove(open + 1, open + 2);
    source.remove(end - 2, end - 1);
    source.replace(end, ")");

    // NULL has an integer type, which a deduced parameter would take over.
    const size_t arguments_end = source.closing(end + 1);
    for (size_t i = end + 1; i < arguments_end; ++i) {
        if (source.is(i, "__null")) source.replace(i, "nullptr");
    }
    return end;
}

}  // namespace emulator
