#include "rewrite.h"

#include <algorithm>

#include "rewriter.h"
#include "scopes.h"

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

void refuse_unsupported(const Rewriter& source, size_t i) {
    const Token& token = source[i];
    if (token.in_system_header) return;
    if (token.is("cudaLaunchCooperativeKernel") || token.is("cudaLaunchCooperativeKernelMultiDevice")) {
        source.unsupported(i, "cooperative launches", "split the kernel at the grid-wide barrier into two launches");
    }
    if (token.is("cudaLaunchKernelExC")) {
        source.unsupported(i, std::string(token.text), "launch with <<<grid, block, shared, stream>>>");
    }
    if (token.is("__cluster_dims__")) {
        source.unsupported(i, "thread block clusters", "put the kernel behind #ifndef SOLVE_EMULATOR");
    }
}

bool opens_launch(const Rewriter& source, size_t i) {
    // With spaces between them too, as some formatters leave `<< <`.
    return source.is(i, "<") && source.is(i + 1, "<") && source.is(i + 2, "<") && i > 0 &&
           !source.is(i - 1, "operator");
}

// What a thread reads a built-in variable from; empty for any other name.
std::string_view built_in(const Token& token) {
    if (token.is("threadIdx")) return "(::emulator::current()->index)";
    if (token.is("blockIdx")) return "(::emulator::current()->block->index)";
    if (token.is("blockDim")) return "(::emulator::current()->block->size)";
    if (token.is("gridDim")) return "(::emulator::current()->block->grid)";
    return {};
}

}  // namespace

bool is_qualifier(const Token& token) {
    return token.is("__global__") || token.is("__device__") || token.is("__host__") || token.is("__constant__") ||
           token.is("__managed__") || token.is("__grid_constant__");
}

std::string rewrite(std::string_view preprocessed, std::vector<std::string>* warnings) {
    Rewriter source(preprocessed);
    const std::vector<std::string> found = check_calls(source);
    if (warnings) warnings->insert(warnings->end(), found.begin(), found.end());
    const std::set<std::string_view> names = volatile_names(source);
    know_kernels(source);
    Scopes scopes;
    for (size_t i = 0; i < source.size(); ++i) {
        const Token& token = source[i];
        if (token.kind == Token::kIdentifier) {
            refuse_unsupported(source, i);
            const bool is_asm = token.is("asm") || token.is("__asm__") || token.is("__asm");
            if (is_asm && !token.in_system_header) i = rewrite_asm(source, i);
            if (token.is("__shared__")) i = rewrite_shared(source, i, scopes.at_namespace_scope());
            // Not a macro as in CUDA's own header, which breaks the __attribute__((__noinline__)) of libstdc++.
            if (is_qualifier(token)) source.replace(i, "");
            if (token.is("cudaLaunchKernel")) uncast_kernel(source, i);
            if (token.is("__constant__") && scopes.at_namespace_scope()) count_constants(source, i);
            const bool loop = token.is("while") || token.is("for") || token.is("do");
            if (loop && scopes.in_device_function()) yield_in_loop(source, i, names);
            if (token.is("__launch_bounds__")) i = rewrite_launch_bounds(source, i);
            const std::string_view value = built_in(token);
            if (!value.empty() && scopes.names_built_in(source, i)) source.replace(i, std::string(value));
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

std::string load_precompiled(std::string_view rewritten, const std::string& file) {
    constexpr std::string_view kOpens = "emulator/precompiled.h\" 1\n", kEnd = "#pragma emulator precompiled\n";
    const size_t name = rewritten.find(kOpens), end = rewritten.find(kEnd);
    if (name == std::string_view::npos || end == std::string_view::npos) return std::string(rewritten);
    // Without the linemarkers on both sides: what is loaded has its own.
    const size_t begin = rewritten.rfind('\n', name) + 1;
    std::string_view rest = rewritten.substr(end + kEnd.size());
    if (rest.starts_with("# ")) rest.remove_prefix(std::min(rest.find('\n') + 1, rest.size()));
    return std::string(rewritten.substr(0, begin)) + "#pragma GCC pch_preprocess \"" + file + "\"\n" +
           std::string(rest);
}

}  // namespace emulator
