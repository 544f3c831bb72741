// Which braces are open, and what is declared within them.
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "rewriter.h"

namespace emulator {

class Scopes {
  public:
    void open(const Rewriter& source, size_t brace);
    void close();

    // To tell a __shared__ at namespace scope from one in a function.
    bool at_namespace_scope() const;

    bool in_device_function() const;

    // Whether token i, which is spelled like a built-in variable (blockDim, say), is that variable: host code may have
    // declared one of its own. Tokens must be asked for in their order.
    bool names_built_in(const Rewriter& source, size_t i);

  private:
    enum Kind { kNamespace, kClass, kDeviceFunction, kOther };
    struct Scope {
        Kind kind;
        std::set<std::string_view> names;
    };
    static Kind kind_of(const Rewriter& source, size_t brace);
    void declare(const Rewriter& source, size_t i);

    std::vector<Scope> open_;
    std::map<size_t, std::set<std::string_view>> parameters_;  // by the brace of the body that they are known in
    std::set<std::string_view> elsewhere_;                     // at namespace scope and in classes
};

}  // namespace emulator
