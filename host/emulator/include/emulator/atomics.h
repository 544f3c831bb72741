// Atomics. Blocks run on several OS threads at a time, so these are atomic operations of the CPU.
#pragma once

#include <atomic>

namespace emulator {

// Set by what only makes sense between blocks, or threads, that talk to each other: atomics and fences.
inline std::atomic<bool> blocks_communicate{false};
inline void note_communication() {
    blocks_communicate.store(true, std::memory_order_relaxed);
}

template <class T, class Update>
T atomic_update(T* address, Update update) {
    note_communication();
    std::atomic_ref<T> target(*address);
    T seen = target.load(std::memory_order_relaxed);
    while (!target.compare_exchange_weak(seen, update(seen))) {
    }
    return seen;
}

template <class T>
struct NotDeduced {
    using type = T;
};
template <class T>
using Value = typename NotDeduced<T>::type;

}  // namespace emulator

template <class T>
T atomicAdd(T* address, ::emulator::Value<T> value) {
    return ::emulator::atomic_update(address, [=](T old) { return T(old + value); });
}
template <class T>
T atomicSub(T* address, ::emulator::Value<T> value) {
    return ::emulator::atomic_update(address, [=](T old) { return T(old - value); });
}
template <class T>
T atomicMin(T* address, ::emulator::Value<T> value) {
    return ::emulator::atomic_update(address, [=](T old) { return value < old ? value : old; });
}
template <class T>
T atomicMax(T* address, ::emulator::Value<T> value) {
    return ::emulator::atomic_update(address, [=](T old) { return old < value ? value : old; });
}
template <class T>
T atomicAnd(T* address, ::emulator::Value<T> value) {
    return ::emulator::atomic_update(address, [=](T old) { return T(old & value); });
}
template <class T>
T atomicOr(T* address, ::emulator::Value<T> value) {
    return ::emulator::atomic_update(address, [=](T old) { return T(old | value); });
}
template <class T>
T atomicExch(T* address, ::emulator::Value<T> value) {
    ::emulator::note_communication();
    return std::atomic_ref<T>(*address).exchange(value);
}
template <class T>
T atomicCAS(T* address, ::emulator::Value<T> expected, ::emulator::Value<T> value) {
    ::emulator::note_communication();
    std::atomic_ref<T>(*address).compare_exchange_strong(expected, value);
    return expected;
}

template <class T>
T atomicXor(T* address, ::emulator::Value<T> value) {
    return ::emulator::atomic_update(address, [=](T old) { return T(old ^ value); });
}
inline unsigned atomicInc(unsigned* address, unsigned limit) {
    return ::emulator::atomic_update(address, [=](unsigned old) { return old >= limit ? 0 : old + 1; });
}
inline unsigned atomicDec(unsigned* address, unsigned limit) {
    return ::emulator::atomic_update(address, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

// Within a block or with the host: as wide as the others.
#define EMULATOR_SCOPED(name)                                 \
    template <class T>                                        \
    T name##_block(T* address, ::emulator::Value<T> value) {  \
        return name(address, value);                          \
    }                                                         \
    template <class T>                                        \
    T name##_system(T* address, ::emulator::Value<T> value) { \
        return name(address, value);                          \
    }
EMULATOR_SCOPED(atomicAdd)
EMULATOR_SCOPED(atomicMin)
EMULATOR_SCOPED(atomicMax)
EMULATOR_SCOPED(atomicExch)
#undef EMULATOR_SCOPED
