// __shared__ declarations.
#include "rewriter.h"

namespace emulator {
namespace {

struct Declarator {
    size_t name;
    size_t last;  // the token before the ',' or ';'
};

// The first token of the declaration that `token` belongs to.
size_t declaration_begin(const Rewriter& source, size_t token) {
    size_t i = token;
    while (i > 0 && !source.is(i - 1, ";") && !source.is(i - 1, "{") && !source.is(i - 1, "}")) {
        const bool label = source.is(i - 1, ":") && !(i > 1 && source.is(i - 2, ":")) && !source.is(i, ":");
        if (label) break;
        --i;
    }
    return i;
}

bool is_specifier(const Rewriter& source, size_t i) {
    return source.is(i, "__shared__") || source.is(i, "static") || source.is(i, "extern") ||
           source.is(i, "constexpr") || is_qualifier(source[i]);
}

struct Specifiers {
    bool is_extern = false;
    std::string alignment;  // "alignas(16) "
};

// Strips storage classes, and alignments, which a typedef could not carry.
Specifiers strip_specifiers(Rewriter& source, size_t begin, size_t end) {
    Specifiers found;
    for (size_t i = begin; i < end; ++i) {
        if (is_specifier(source, i)) {
            found.is_extern |= source.is(i, "extern");
            source.replace(i, "");
        } else if ((source.is(i, "alignas") || source.is(i, "__attribute__")) && source.is(i + 1, "(")) {
            const size_t close = source.closing(i + 1);
            found.alignment += source.joined(i, close) + " ";
            source.remove(i, close);
            i = close;
        } else if (source.is(i, "[") && source.is(i + 1, "[")) {
            const size_t close = source.closing(i);
            source.remove(i, close);
            i = close;
        } else if (source.is(i, "{")) {
            i = source.closing(i);
        }
    }
    return found;
}

// Splits T a[2], b into its declarators. Commas and brackets inside (), {} and <> belong to the type.
std::vector<Declarator> find_declarators(const Rewriter& source, size_t begin, size_t end) {
    const char* advice = "declare it as __shared__ T name[size]; without an initialiser or parentheses around the name";
    std::vector<Declarator> declarators;
    size_t name = source.size();
    bool named = false;  // this declarator's name is settled: a bracket or its end followed
    int angle = 0;
    const auto settle = [&](size_t last) {
        if (name == source.size()) source.unsupported(begin, "such a __shared__ declaration", advice);
        declarators.push_back({name, last});
        name = source.size();
        named = false;
    };
    for (size_t i = begin; i < end; ++i) {
        if (source.is(i, "alignas") || source.is(i, "__attribute__")) {
            i = source.closing(i + 1);
        } else if (source.is(i, "<")) {
            ++angle;
        } else if (source.is(i, ">")) {
            --angle;
        } else if (angle > 0) {
            continue;
        } else if (source.is(i, "[") && source.is(i + 1, "[")) {
            i = source.closing(i);
        } else if (source.is(i, "[")) {
            named = true;
            i = source.closing(i);
        } else if (source.is(i, "(") || source.is(i, "{")) {
            const bool after_name = name + 1 == i && declarators.empty() == false;
            if (named || after_name) source.unsupported(i, "such a __shared__ declaration", advice);
            i = source.closing(i);
        } else if (source.is(i, "=")) {
            source.unsupported(i, "initialiser of a __shared__ variable",
                               "assign to it in one thread, then __syncthreads()");
        } else if (source.is(i, ",")) {
            settle(i - 1);
        } else if (source[i].kind == Token::kIdentifier && !named && !is_specifier(source, i)) {
            name = i;
        }
    }
    settle(end - 1);
    return declarators;
}

std::string type_name(const Rewriter& source, size_t name) {
    return std::string(source[name].text) + "_emulated_t";
}

// extern __shared__ T s[];  ->  typedef T s_emulated_t; s_emulated_t* s = ...;
std::string dynamic_definition(const Rewriter& source, size_t name, bool at_namespace_scope) {
    const std::string variable(source[name].text), type = type_name(source, name);
    if (!at_namespace_scope) return "; " + type + "* " + variable + " = ::emulator::dynamic_shared<" + type + ">()";
    return "; static thread_local " + type + "* " + variable + "; static const bool " + variable +
           "_emulated_registered = ::emulator::at_block_start([](void* memory) { " + variable + " = static_cast<" +
           type + "*>(memory); })";
}

// __shared__ T a[2];  ->  typedef T a_emulated_t[2]; struct a_emulated_key {}; auto& a = ...;   The local class makes
// one key per instantiation.
std::string static_definition(const Rewriter& source, size_t name, const std::string& alignment) {
    const std::string variable(source[name].text), key = variable + "_emulated_key";
    return "; struct " + alignment + key + " {}; auto& " + variable + " = ::emulator::shared<" +
           type_name(source, name) + ", " + key + ">()";
}

}  // namespace

size_t rewrite_shared(Rewriter& source, size_t shared, bool at_namespace_scope) {
    const size_t begin = declaration_begin(source, shared);
    size_t end = shared;
    while (end < source.size() && !source.is(end, ";")) {
        end = source.is(end, "{") || source.is(end, "(") ? source.closing(end) + 1 : end + 1;
    }
    if (end >= source.size()) source.unsupported(shared, "__shared__ here", "use it on a variable's declaration only");

    const std::vector<Declarator> declarators = find_declarators(source, begin, end);
    source.insert_before(begin, "typedef ");
    const Specifiers specifiers = strip_specifiers(source, begin, end);
    if (at_namespace_scope && !specifiers.is_extern) {
        source.unsupported(shared, "static __shared__ variable at namespace scope", "declare it inside the kernel");
    }
    std::string definitions;
    for (const Declarator& declarator : declarators) {
        source.replace(declarator.name, type_name(source, declarator.name));
        if (!specifiers.is_extern) {
            definitions += static_definition(source, declarator.name, specifiers.alignment);
            continue;
        }
        if (!source.is(declarator.name + 1, "[") || !source.is(declarator.name + 2, "]")) {
            source.unsupported(shared, "extern __shared__ that is not an array",
                               "declare it as extern __shared__ T name[];");
        }
        source.remove(declarator.name + 1, declarator.name + 2);
        definitions += dynamic_definition(source, declarator.name, at_namespace_scope);
    }
    source.insert_before(end, definitions);
    return end;
}

}  // namespace emulator
