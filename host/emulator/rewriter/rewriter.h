// What the parts of the rewriter share: the tokens, the edits made so far, and the error for what cannot be rewritten.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rewrite.h"
#include "tokens.h"

namespace emulator {

class Rewriter {
  public:
    explicit Rewriter(std::string_view text) : text_(text), tokens_(tokenize(text)) {}

    std::string_view text() const { return text_; }
    const std::vector<Token>& tokens() const { return tokens_; }
    const Token& operator[](size_t i) const { return tokens_[i]; }
    size_t size() const { return tokens_.size(); }
    bool is(size_t i, std::string_view what) const { return i < size() && tokens_[i].is(what); }
    // Token i directly follows token i - 1, without white space between.
    bool adjacent(size_t i) const { return i > 0 && i < size() && tokens_[i].begin == tokens_[i - 1].end; }

    // The token that closes the bracket at `open`, or size().
    size_t closing(size_t open) const;
    // The token that opens the bracket at `close`, or size().
    size_t opening(size_t close) const;

    void insert_before(size_t i, std::string text) { edits_.push_back({tokens_[i].begin, 0, std::move(text)}); }
    void insert_after(size_t i, std::string text) { edits_.push_back({tokens_[i].end, 0, std::move(text)}); }
    void replace(size_t i, std::string text) {
        edits_.push_back({tokens_[i].begin, tokens_[i].text.size(), std::move(text)});
    }
    // Token by token, so that the newlines between them stay.
    void remove(size_t first, size_t last) {
        for (size_t i = first; i <= last; ++i) replace(i, "");
    }

    // The tokens first .. last on one line.
    std::string joined(size_t first, size_t last) const;

    [[noreturn]] void unsupported(size_t token, const std::string& construct, const std::string& advice) const;

    std::string apply_edits();

  private:
    struct Edit {
        size_t begin, length;
        std::string text;
    };
    std::string_view text_;
    std::vector<Token> tokens_;
    std::vector<Edit> edits_;
};

// __global__, __device__ and the like, which mean nothing to g++.
bool is_qualifier(const Token& token);

// Token `open` is the first '<' of "<<<". Returns the last token of ">>>".
size_t rewrite_launch(Rewriter& source, size_t open);

// Where a source calls cudaLaunchKernel: makes known how the kernels are called of which it takes the address.
void know_kernels(Rewriter& source);

// Token `i` is cudaLaunchKernel.
void uncast_kernel(Rewriter& source, size_t i);

// Token `i` is __launch_bounds__. Returns the ')' that closes it.
size_t rewrite_launch_bounds(Rewriter& source, size_t i);

// Throws for a call that nvcc refuses because of where its function runs. Returns a line for each that nvcc takes only
// with a flag.
std::vector<std::string> check_calls(const Rewriter& source);

// Token `i` is the __constant__ of a declaration at namespace scope.
void count_constants(Rewriter& source, size_t i);

// The variables that are declared volatile, and the device functions that read such.
std::set<std::string_view> volatile_names(const Rewriter& source);

// Token `i` is a `while`, `for` or `do` of device code.
void yield_in_loop(Rewriter& source, size_t i, const std::set<std::string_view>& volatile_names);

// Token `shared` is __shared__. Returns the ';' that ends the declaration.
size_t rewrite_shared(Rewriter& source, size_t shared, bool at_namespace_scope);

// Token `keyword` is asm. Returns the last token that needs no further rewriting.
size_t rewrite_asm(Rewriter& source, size_t keyword);

}  // namespace emulator
