#include "rewrite.h"

#include <algorithm>

#include "rewriter.h"

namespace emulator {

size_t Rewriter::closing(size_t open) const {
    int depth = 0;
    for (size_t i = open; i < size(); ++i) {
        if (is(i, "(") || is(i, "[") || is(i, "{")) ++depth;
        if ((is(i, ")") || is(i, "]") || is(i, "}")) && --depth == 0) return i;
    }
    return size();
}

size_t Rewriter::opening(size_t close) const {
    int depth = 0;
    for (size_t i = close + 1; i-- > 0;) {
        if (is(i, ")") || is(i, "]") || is(i, "}")) ++depth;
        if ((is(i, "(") || is(i, "[") || is(i, "{")) && --depth == 0) return i;
    }
    return size();
}

std::string Rewriter::joined(size_t first, size_t last) const {
    std::string line;
    for (size_t i = first; i <= last; ++i) {
        if (i > first && !adjacent(i)) line += ' ';
        line += tokens_[i].text;
    }
    return line;
}

void Rewriter::unsupported(size_t token, const std::string& construct, const std::string& advice) const {
    const Location where = locate(text_, token < size() ? tokens_[token].begin : text_.size());
    throw RewriteError(where.file + ":" + std::to_string(where.line) + ": error: the emulator has no " + construct +
                       ": " + advice);
}

std::string Rewriter::apply_edits() {
    std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string result;
    size_t at = 0;
    for (const Edit& edit : edits_) {
        result += text_.substr(at, edit.begin - at);
        result += edit.text;
        at = edit.begin + edit.length;
    }
    result += text_.substr(at);
    return result;
}

namespace {

// Which braces are open, to tell a __shared__ at namespace scope from one in a function.
class Scopes {
  public:
    void open(const Rewriter& source, size_t brace) { inside_.push_back(opens_namespace(source, brace)); }
    void close() {
        if (!inside_.empty()) inside_.pop_back();
    }
    bool at_namespace_scope() const {
        return std::all_of(inside_.begin(), inside_.end(), [](bool is_namespace) { return is_namespace; });
    }

  private:
    static bool opens_namespace(const Rewriter& source, size_t brace) {
        for (size_t i = brace; i-- > 0;) {
            if (source.is(i, "namespace")) return true;
            if (source[i].kind == Token::kLiteral) return source.is(i, "\"C\"") || source.is(i, "\"C++\"");
            if (source.is(i, ";") || source.is(i, "{") || source.is(i, "}") || source.is(i, "=")) return false;
            if (source.is(i, ")") && !source.is(i - 1, ")")) return false;  // a parameter list; )) ends an attribute
        }
        return false;
    }
    std::vector<bool> inside_;
};

void refuse_unsupported(const Rewriter& source, size_t i) {
    const Token& token = source[i];
    if (token.in_system_header) return;
    if (token.is("asm") || token.is("__asm__") || token.is("__asm")) {
        source.unsupported(i, "inline PTX",
                           "put it behind #ifndef SOLVE_EMULATOR and write what it does in C++ beside it");
    }
    if (token.is("cudaLaunchCooperativeKernel") || token.is("cudaLaunchCooperativeKernelMultiDevice")) {
        source.unsupported(i, "cooperative launches", "split the kernel at the grid-wide barrier into two launches");
    }
    if (token.is("cudaLaunchKernelEx") || token.is("cudaLaunchKernelExC")) {
        source.unsupported(i, std::string(token.text), "launch with <<<grid, block, shared, stream>>>");
    }
    if (token.is("__cluster_dims__")) {
        source.unsupported(i, "thread block clusters", "put the kernel behind #ifndef SOLVE_EMULATOR");
    }
}

bool opens_launch(const Rewriter& source, size_t i) {
    return source.is(i, "<") && source.is(i + 1, "<") && source.is(i + 2, "<") && source.adjacent(i + 1) &&
           source.adjacent(i + 2);
}

}  // namespace

std::string rewrite(std::string_view preprocessed) {
    Rewriter source(preprocessed);
    Scopes scopes;
    for (size_t i = 0; i < source.size(); ++i) {
        const Token& token = source[i];
        if (token.kind == Token::kIdentifier) {
            refuse_unsupported(source, i);
            if (token.is("__shared__")) i = rewrite_shared(source, i, scopes.at_namespace_scope());
            // Not a macro as in CUDA's own header, which breaks the __attribute__((__noinline__)) of libstdc++.
            if (token.is("__noinline__") && !source.is(i - 1, "(") && !source.is(i - 1, ",")) {
                source.replace(i, "__attribute__((noinline))");
            }
        } else if (token.is("{")) {
            scopes.open(source, i);
        } else if (token.is("}")) {
            scopes.close();
        } else if (opens_launch(source, i)) {
            i = rewrite_launch(source, i);
        }
    }
    return source.apply_edits();
}

}  // namespace emulator
