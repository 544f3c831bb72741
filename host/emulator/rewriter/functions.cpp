#include "functions.h"

#include <algorithm>
#include <optional>

namespace emulator {
namespace {

// The token that closes the template parameters opened at `open`, or size().
size_t closing_angle(const Rewriter& source, size_t open) {
    int depth = 0;
    for (size_t i = open; i < source.size() && !source.is(i, ";"); ++i) {
        if (source.is(i, "(") || source.is(i, "[") || source.is(i, "{")) {
            i = source.closing(i);
        } else if (source.is(i, "<")) {
            ++depth;
        } else if (source.is(i, ">") && !source.is(i - 1, "-") && --depth == 0) {
            return i;
        }
    }
    return source.size();
}

// Words whose parentheses are no parameter list.
bool takes_arguments(const Token& token) {
    constexpr const char* words[] = {"__attribute__", "alignas",  "__launch_bounds__", "__declspec", "requires",
                                     "explicit",      "decltype", "noexcept",          "asm",        "__asm__"};
    return std::any_of(std::begin(words), std::end(words), [&](const char* word) { return token.is(word); });
}

// What stands before a '{' or a ';' outside of functions.
struct Head {
    bool is_namespace = false, is_class = false, is_enumeration = false, is_initialised = false, is_template = false;
    bool has_initialisers = false;  // of a constructor: members follow the ')' and a ':'
    std::optional<size_t> name;     // of a function
    Function::Space space = Function::kHost;
    bool is_constexpr = false;
};

Head read_head(const Rewriter& source, size_t begin, size_t end) {
    Head head;
    bool device = false, host = false, kernel = false;
    for (size_t i = begin; i < end; ++i) {
        const Token& token = source[i];
        device |= token.is("__device__");
        host |= token.is("__host__");
        kernel |= token.is("__global__");
        head.is_constexpr |= token.is("constexpr") || token.is("consteval");
        head.is_namespace |= token.is("namespace") || (token.kind == Token::kLiteral && !head.name);
        head.is_enumeration |= token.is("enum");
        if (!head.name && (token.is("class") || token.is("struct") || token.is("union"))) head.is_class = true;
        if (token.is("template") && source.is(i + 1, "<")) {
            head.is_template = true;
            i = std::min(closing_angle(source, i + 1), end);
        } else if (takes_arguments(token) && source.is(i + 1, "(")) {
            i = source.closing(i + 1);
        } else if (token.is("operator") && !head.name) {
            head.name = i;
            while (i + 1 < end && !source.is(i + 1, "(")) ++i;
            if (source.is(i + 2, ")") && source.is(i + 3, "(")) i += 2;  // operator()(...)
        } else if (token.is("=") && !head.name) {
            head.is_initialised = true;
        } else if (token.is("(") || token.is("[")) {
            size_t before = i - 1;
            if (token.is("(") && source.is(before, ">")) {  // of a specialisation
                int depth = 0;
                while (before > begin && !(source.is(before, "<") && --depth == 0)) {
                    depth += source.is(before, ">");
                    --before;
                }
                --before;
            }
            const bool named = token.is("(") && i > begin && source[before].kind == Token::kIdentifier;
            if (named && !head.name && !head.is_initialised) head.name = before;
            i = source.closing(i);
        } else if (token.is(":") && head.name && !source.is(i + 1, ":") && !source.is(i - 1, ":")) {
            head.has_initialisers = true;
        }
    }
    head.is_class &= !head.name;
    head.space = kernel ? Function::kKernel : device ? (host ? Function::kBoth : Function::kDevice) : Function::kHost;
    return head;
}

}  // namespace

std::vector<Function> find_functions(const Rewriter& source) {
    std::vector<Function> functions;
    std::vector<bool> in_template;  // of the scopes that are open, the class templates
    size_t begin = 0;
    const auto add = [&](const Head& head, size_t open, size_t close) {
        if (!head.name || source[*head.name].in_library_header) return;
        const bool is_template =
            head.is_template || std::find(in_template.begin(), in_template.end(), true) != in_template.end();
        functions.push_back({head.space, head.is_constexpr, is_template, begin, *head.name, open, close});
    };
    for (size_t i = 0; i < source.size(); ++i) {
        if (source.is(i, "(") || source.is(i, "[")) {
            i = source.closing(i);
        } else if (source.is(i, ";")) {
            add(read_head(source, begin, i), source.size(), source.size());
            begin = i + 1;
        } else if (source.is(i, "}")) {
            if (!in_template.empty()) in_template.pop_back();
            begin = i + 1;
        } else if (source.is(i, ":") && i > 0 &&
                   (source.is(i - 1, "public") || source.is(i - 1, "private") || source.is(i - 1, "protected"))) {
            begin = i + 1;
        } else if (source.is(i, "{")) {
            const Head head = read_head(source, begin, i);
            if (!head.name && (head.is_namespace || head.is_class) && !head.is_enumeration && !head.is_initialised) {
                in_template.push_back(head.is_class && head.is_template);
                begin = i + 1;
                continue;
            }
            const size_t close = source.closing(i);
            const bool of_member =
                head.has_initialisers && i > 0 && (source[i - 1].kind == Token::kIdentifier || source.is(i - 1, ">"));
            if (!of_member && head.name) {
                add(head, i, close);
                begin = close + 1;
            }
            i = close;
        }
    }
    return functions;
}

}  // namespace emulator
