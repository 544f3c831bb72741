#include "scopes.h"

#include <algorithm>
#include <array>

namespace emulator {
namespace {

// Words that can stand before an expression, so that what follows them is no declaration.
bool precedes_expression(std::string_view word) {
    constexpr std::array words{"return", "else", "do", "throw", "case", "new", "delete", "sizeof", "not", "and", "or"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_type_name(const Rewriter& source, size_t i) {
    return i < source.size() &&
           ((source[i].kind == Token::kIdentifier && !precedes_expression(source[i].text)) || source.is(i, ">"));
}

// The '(' or '[' that token i stands in, or size() if a statement begins before one is found; `begin` is where.
size_t enclosing(const Rewriter& source, size_t i, size_t& begin) {
    while (i > 0) {
        --i;
        if (source.is(i, ")") || source.is(i, "]")) {
            i = source.opening(i);
            if (i == source.size()) break;
        } else if (source.is(i, "(") || source.is(i, "[")) {
            return i;
        } else if (source.is(i, ";") || source.is(i, "{") || source.is(i, "}")) {
            begin = i + 1;
            return source.size();
        }
    }
    begin = 0;
    return source.size();
}

// `dim3 blockDim(16, 16)`, `const dim3& blockDim`, `dim3 grid(4), blockDim(16)`; not `f(blockDim)`, `x = blockDim`.
bool is_declaration(const Rewriter& source, size_t i) {
    constexpr std::array followers{"(", "=", "{", ";", ",", ")", "["};
    const bool followed = std::any_of(followers.begin(), followers.end(),
                                      [&](const char* follower) { return source.is(i + 1, follower); });
    if (!followed || i == 0) return false;
    if (is_type_name(source, i - 1)) return true;
    if (source.is(i - 1, "&") || source.is(i - 1, "*")) return i > 1 && is_type_name(source, i - 2);
    if (!source.is(i - 1, ",")) return false;
    size_t begin = 0;
    return enclosing(source, i, begin) == source.size() && is_type_name(source, begin) &&
           (is_type_name(source, begin + 1) || source.is(begin + 1, ":") || source.is(begin + 1, "<"));
}

// The brace that opens the body after a parameter list or the head of a for, or size() if there is none.
size_t body_after_head(const Rewriter& source, size_t close) {
    for (size_t i = close + 1; i < source.size(); ++i) {
        if (source.is(i, "{")) return i;
        if (source.is(i, ";") || source.is(i, ")") || source.is(i, ",")) break;
        if (source.is(i, "(")) i = source.closing(i);
    }
    return source.size();
}

}  // namespace

Scopes::Kind Scopes::kind_of(const Rewriter& source, size_t brace) {
    bool parameters = false;
    for (size_t i = brace; i-- > 0;) {
        if (source.is(i, ";") || source.is(i, "{") || source.is(i, "}")) break;
        if (source.is(i, "namespace")) return kNamespace;
        if (source.is(i, "__global__") || source.is(i, "__device__")) return kDeviceFunction;
        if (source.is(i, "=")) return kOther;
        const bool linkage = source.is(i, "\"C\"") || source.is(i, "\"C++\"");
        if (linkage && !parameters) return kNamespace;
        if (!parameters && (source.is(i, "struct") || source.is(i, "class") || source.is(i, "union"))) return kClass;
        if (source.is(i, ")")) {
            i = source.opening(i);
            if (i == source.size()) break;
            // Not the parentheses of an attribute or of alignas.
            parameters |=
                i > 0 && !source.is(i - 1, "(") && !source.is(i - 1, "__attribute__") && !source.is(i - 1, "alignas");
        }
    }
    return kOther;
}

void Scopes::open(const Rewriter& source, size_t brace) {
    Scope scope{kind_of(source, brace), {}};
    if (const auto found = parameters_.find(brace); found != parameters_.end()) scope.names = found->second;
    open_.push_back(std::move(scope));
}

void Scopes::close() {
    if (!open_.empty()) open_.pop_back();
}

bool Scopes::at_namespace_scope() const {
    return std::all_of(open_.begin(), open_.end(), [](const Scope& scope) { return scope.kind == kNamespace; });
}

bool Scopes::in_device_function() const {
    return std::any_of(open_.begin(), open_.end(), [](const Scope& scope) { return scope.kind == kDeviceFunction; });
}

void Scopes::declare(const Rewriter& source, size_t i) {
    const std::string_view name = source[i].text;
    size_t begin = 0;
    const size_t open = enclosing(source, i, begin);
    if (open < source.size()) {
        const size_t body = body_after_head(source, source.closing(open));
        if (body < source.size()) parameters_[body].insert(name);
    } else if (open_.empty() || open_.back().kind == kNamespace || open_.back().kind == kClass) {
        elsewhere_.insert(name);
    } else {
        open_.back().names.insert(name);
    }
}

bool Scopes::names_built_in(const Rewriter& source, size_t i) {
    if (source.is(i - 1, ".") || (source.is(i - 1, ">") && source.is(i - 2, "-")) || source.is(i - 1, ":")) {
        const bool label = source.is(i - 1, ":") && !source.is(i - 2, ":");  // a ? b : blockDim.x
        if (!label) return false;
    }
    if (is_declaration(source, i)) {
        declare(source, i);
        return false;
    }
    const std::string_view name = source[i].text;
    const auto knows = [&](const Scope& scope) { return scope.names.count(name) > 0; };
    if (std::any_of(open_.begin(), open_.end(), knows)) return false;
    return in_device_function() || elsewhere_.count(name) == 0;
}

}  // namespace emulator
