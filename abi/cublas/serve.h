// Who does a call: we, or cuBLAS.
#pragma once

#include <optional>

#include "call.h"
#include "cublas_abi.h"
#include "settings.h"

namespace drop_in {

// cuBLAS's status if we have done the call; nothing if cuBLAS is to do it.
std::optional<int> serve(const Call& call);

// Counts how deep a thread is in our functions: cuBLAS calls itself by names that are ours too.
class Depth {
  public:
    Depth() { ++depth_; }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

    bool is_outermost() const { return depth_ == 1; }

  private:
    static thread_local int depth_;
};

// What an entry does: the call, as describe() has it, by us; or by cuBLAS's own function, which may be null, with the
// program's arguments.
template <class Function, class Describe, class... Arguments>
int answer(Function* cublas_function, Describe describe, Arguments... arguments) {
    const Depth depth;
    if (cublas_function && depth.is_outermost() && settings().mode != Mode::off) {
        if (const std::optional<int> status = serve(describe())) return *status;
    }
    return cublas_function ? cublas_function(arguments...) : cublas::kNotInitialized;
}

}  // namespace drop_in
