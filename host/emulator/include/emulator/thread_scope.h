// What cuda/barrier and cuda/pipeline share.
#pragma once

#include <cstddef>

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// A size that is a multiple of kAlignment, as both addresses are.
template <size_t kAlignment>
struct aligned_size_t {
    size_t value;

    explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
    constexpr operator size_t() const { return value; }
};

}  // namespace cuda
