// Loads and stores with a cache policy, address spaces, and the clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "thread.h"

// The vector types and every arithmetic type; the policy has no counterpart.
#define EMULATOR_LOAD(name)           \
    template <class T>                \
    inline T name(const T* address) { \
        return *address;              \
    }
EMULATOR_LOAD(__ldg)
EMULATOR_LOAD(__ldcg)
EMULATOR_LOAD(__ldca)
EMULATOR_LOAD(__ldcs)
EMULATOR_LOAD(__ldlu)
EMULATOR_LOAD(__ldcv)
#undef EMULATOR_LOAD

namespace emulator {
template <class T>
struct Stored {
    using type = T;
};
}  // namespace emulator

#define EMULATOR_STORE(name)                                                   \
    template <class T>                                                         \
    inline void name(T* address, typename ::emulator::Stored<T>::type value) { \
        *address = value;                                                      \
    }
EMULATOR_STORE(__stwb)
EMULATOR_STORE(__stcg)
EMULATOR_STORE(__stcs)
EMULATOR_STORE(__stwt)
#undef EMULATOR_STORE

// An address in the shared state space has 32 bits; here it is the distance from the block's dynamic shared memory,
// which the static variables lie near. A global address is the generic one.
inline size_t __cvta_generic_to_shared(const void* address) {
    const auto base = reinterpret_cast<uintptr_t>(::emulator::current()->block->dynamic_shared);
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address) - base);
}
inline void* __cvta_shared_to_generic(size_t address) {
    return static_cast<char*>(::emulator::current()->block->dynamic_shared) + static_cast<int32_t>(address);
}
inline size_t __cvta_generic_to_global(const void* address) {
    return reinterpret_cast<size_t>(address);
}
inline void* __cvta_global_to_generic(size_t address) {
    return reinterpret_cast<void*>(address);
}

namespace emulator {
bool is_shared_memory(const void* address);
}
inline unsigned __isShared(const void* address) {
    return ::emulator::is_shared_memory(address);
}
inline unsigned __isGlobal(const void* address) {
    return !::emulator::is_shared_memory(address);
}

// Nanoseconds: the clock of a GPU of 1 GHz.
inline long long clock64() {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}
inline unsigned long long __globaltimer() {
    return static_cast<unsigned long long>(clock64());
}

[[noreturn]] inline void __trap() {
    throw std::runtime_error("__trap()");
}
inline void __brkpt() {}
inline void __prof_trigger(int) {}

// A promise to the optimiser.
#define __builtin_assume(condition) static_cast<void>(0)
#define __assume(condition) static_cast<void>(0)
#define __nv_builtin_assume(condition) static_cast<void>(0)
