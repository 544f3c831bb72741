// Atomics. Blocks run on several OS threads at a time, so these are atomic operations of the CPU.
#pragma once

#include <atomic>
#include <cstring>

#include "place.h"

namespace emulator {

// Set by what only makes sense between blocks, or threads, that talk to each other: atomics and fences.
inline std::atomic<bool> blocks_communicate{false};
inline void note_communication() {
    blocks_communicate.store(true, std::memory_order_relaxed);
}

// Called for what a loop that waits for another thread has in it, whatever else it does: atomics, fences, volatile
// reads. Now and then it lets the others run. `changed`: memory is not as it was. It is a fault if no thread of the
// launch does more than look, after some millions of looks.
void look(Place place, bool changed);

template <class T>
bool is_same(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T, class Update>
T atomic_update(T* address, Update update, Place place) {
    note_communication();
    std::atomic_ref<T> target(*address);
    T seen = target.load(std::memory_order_relaxed), next = update(seen);
    while (!target.compare_exchange_weak(seen, next)) next = update(seen);
    look(place, !is_same(seen, next));
    return seen;
}

template <class T>
struct NotDeduced {
    using type = T;
};
template <class T>
using Value = typename NotDeduced<T>::type;

}  // namespace emulator

#define EMULATOR_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define EMULATOR_ATOMIC(name, result)                                                                     \
    template <class T>                                                                                    \
    T name(T* address, ::emulator::Value<T> value, EMULATOR_PLACE) {                                      \
        return ::emulator::atomic_update(address, [=](T old) { return T(result); }, {#name, file, line}); \
    }
EMULATOR_ATOMIC(atomicAdd, old + value)
EMULATOR_ATOMIC(atomicSub, old - value)
EMULATOR_ATOMIC(atomicMin, value < old ? value : old)
EMULATOR_ATOMIC(atomicMax, old < value ? value : old)
EMULATOR_ATOMIC(atomicAnd, old& value)
EMULATOR_ATOMIC(atomicOr, old | value)
EMULATOR_ATOMIC(atomicXor, old ^ value)
#undef EMULATOR_ATOMIC

template <class T>
T atomicExch(T* address, ::emulator::Value<T> value, EMULATOR_PLACE) {
    ::emulator::note_communication();
    const T old = std::atomic_ref<T>(*address).exchange(value);
    ::emulator::look({"atomicExch", file, line}, !::emulator::is_same<T>(old, value));
    return old;
}
template <class T>
T atomicCAS(T* address, ::emulator::Value<T> expected, ::emulator::Value<T> value, EMULATOR_PLACE) {
    ::emulator::note_communication();
    const bool exchanged = std::atomic_ref<T>(*address).compare_exchange_strong(expected, value);
    ::emulator::look({"atomicCAS", file, line}, exchanged && !::emulator::is_same<T>(expected, value));
    return expected;
}
inline unsigned atomicInc(unsigned* address, unsigned limit, EMULATOR_PLACE) {
    return ::emulator::atomic_update(address, [=](unsigned old) { return old >= limit ? 0 : old + 1; },
                                     {"atomicInc", file, line});
}
inline unsigned atomicDec(unsigned* address, unsigned limit, EMULATOR_PLACE) {
    return ::emulator::atomic_update(address, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1; },
                                     {"atomicDec", file, line});
}

// Within a block or with the host: as wide as the others.
#define EMULATOR_SCOPED(name)                                                 \
    template <class T>                                                        \
    T name##_block(T* address, ::emulator::Value<T> value, EMULATOR_PLACE) {  \
        return name(address, value, file, line);                              \
    }                                                                         \
    template <class T>                                                        \
    T name##_system(T* address, ::emulator::Value<T> value, EMULATOR_PLACE) { \
        return name(address, value, file, line);                              \
    }
EMULATOR_SCOPED(atomicAdd)
EMULATOR_SCOPED(atomicSub)
EMULATOR_SCOPED(atomicMin)
EMULATOR_SCOPED(atomicMax)
EMULATOR_SCOPED(atomicAnd)
EMULATOR_SCOPED(atomicOr)
EMULATOR_SCOPED(atomicXor)
EMULATOR_SCOPED(atomicExch)
#undef EMULATOR_SCOPED
template <class T>
T atomicCAS_block(T* address, ::emulator::Value<T> expected, ::emulator::Value<T> value, EMULATOR_PLACE) {
    return atomicCAS(address, expected, value, file, line);
}
template <class T>
T atomicCAS_system(T* address, ::emulator::Value<T> expected, ::emulator::Value<T> value, EMULATOR_PLACE) {
    return atomicCAS(address, expected, value, file, line);
}
#undef EMULATOR_PLACE
