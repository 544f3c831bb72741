// What __shared__ declarations are rewritten to.
#pragma once

#include <cstddef>

#include "thread.h"

namespace emulator {

int new_shared_variable(const char* key);
void* allocate_shared(int variable, size_t bytes, size_t alignment);

// A text that has the name of a type in it.
template <class T>
constexpr const char* text_of_type() {
    return __PRETTY_FUNCTION__;
}

// Numbered when the library is loaded; a block finds the variable's memory under that number. Key is a class local
// to the declaring function, so every instantiation of a kernel has variables of its own.
template <class Key>
struct SharedVariable {
    static inline const int number = new_shared_variable(text_of_type<Key>());
};

// The declaration's alignment is that of its key.
template <class T, class Key>
inline T& shared() {
    constexpr size_t alignment = alignof(T) > alignof(Key) ? alignof(T) : alignof(Key);
    void* memory = current()->block->shared_variables[SharedVariable<Key>::number];
    if (!memory) memory = allocate_shared(SharedVariable<Key>::number, sizeof(T), alignment);
    return *static_cast<T*>(memory);
}

template <class T>
inline T* dynamic_shared() {
    return static_cast<T*>(current()->block->dynamic_shared);
}

// From here on calls set(the block's dynamic shared memory) before each block, on the OS thread that executes it: for
// an extern __shared__ at namespace scope. Returns true.
bool at_block_start(void (*set)(void* memory));

}  // namespace emulator
