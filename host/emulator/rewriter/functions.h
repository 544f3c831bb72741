// The functions that a source defines or declares outside of other functions, and where each of them runs.
#pragma once

#include <string_view>
#include <vector>

#include "rewriter.h"

namespace emulator {

struct Function {
    enum Space { kHost, kDevice, kKernel, kBoth };
    Space space;
    bool is_constexpr = false;
    bool is_template = false;  // or a member of a class template
    size_t begin, name;        // the declaration's first token and its name: `operator` for an operator
    size_t open, close;        // the braces of its body; size() for a declaration
};

// In their order; those of system headers and of the emulator's own are left out.
std::vector<Function> find_functions(const Rewriter& source);

}  // namespace emulator
