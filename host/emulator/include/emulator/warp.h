// Warp-wide synchronisation, votes and shuffles.
#pragma once

#include <cstring>
#include <type_traits>

#include "barrier.h"

namespace emulator {

// Waits for the lanes of `mask` that have not left the kernel.
void warp_barrier(Place place, unsigned mask);

// Eight bytes per lane of the calling thread's warp.
unsigned long long* warp_exchange();

// Waits as warp_barrier() does, and returns what the lane `from` of those that have come brought; or as bits which have
// brought something else than 0.
constexpr unsigned kAllVotes = 32;
unsigned long long warp_exchange(Place place, unsigned mask, unsigned long long brought, unsigned from);

// The lanes of the calling thread's warp that have not left the kernel.
unsigned warp_lanes();

// Waits until no other lane can come here any more without this one; returns those that have come.
unsigned converge(Place place);

inline unsigned lane() {
    return current()->linear % 32;
}

// The value that the lane `source` passed to the same call.
template <class T>
T shuffle(unsigned mask, T value, unsigned source, Place place) {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
    unsigned long long brought = 0;
    std::memcpy(&brought, &value, sizeof(T));
    const unsigned long long taken = warp_exchange(place, mask, brought, source % 32);
    T result;
    std::memcpy(&result, &taken, sizeof(T));
    return result;
}

inline unsigned ballot(unsigned mask, bool predicate, Place place) {
    return static_cast<unsigned>(warp_exchange(place, mask, predicate, kAllVotes));
}

}  // namespace emulator

#define EMULATOR_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncwarp(unsigned mask = 0xffffffff, EMULATOR_HERE) {
    ::emulator::warp_barrier({"__syncwarp", file, line}, mask);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, EMULATOR_HERE) {
    return ::emulator::ballot(mask, predicate != 0, {"__ballot_sync", file, line});
}
inline int __any_sync(unsigned mask, int predicate, EMULATOR_HERE) {
    return ::emulator::ballot(mask, predicate != 0, {"__any_sync", file, line}) != 0;
}
inline int __all_sync(unsigned mask, int predicate, EMULATOR_HERE) {
    return ::emulator::ballot(mask, predicate == 0, {"__all_sync", file, line}) == 0;
}
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, EMULATOR_HERE) {
    const unsigned lane = ::emulator::lane(), first = lane / width * width;
    return ::emulator::shuffle(mask, value, first + unsigned(source) % width, {"__shfl_sync", file, line});
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATOR_HERE) {
    const unsigned lane = ::emulator::lane(), first = lane / width * width;
    const unsigned source = lane >= first + delta ? lane - delta : lane;
    return ::emulator::shuffle(mask, value, source, {"__shfl_up_sync", file, line});
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMULATOR_HERE) {
    const unsigned lane = ::emulator::lane(), end = lane / width * width + width;
    const unsigned source = lane + delta < end ? lane + delta : lane;
    return ::emulator::shuffle(mask, value, source, {"__shfl_down_sync", file, line});
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, EMULATOR_HERE) {
    const unsigned lane = ::emulator::lane(), end = lane / width * width + width;
    const unsigned source = (lane ^ lane_mask) < end ? lane ^ lane_mask : lane;
    return ::emulator::shuffle(mask, value, source, {"__shfl_xor_sync", file, line});
}

inline unsigned __activemask(EMULATOR_HERE) {
    return ::emulator::converge({"__activemask", file, line});
}

// The lanes whose value is the caller's.
template <class T>
unsigned __match_any_sync(unsigned mask, T value, EMULATOR_HERE) {
    unsigned same = 0;
    for (unsigned i = 0; i < 32; ++i) {
        if (!(mask >> i & 1)) continue;
        const T other = ::emulator::shuffle(mask, value, i, {"__match_any_sync", file, line});
        same |= unsigned(other == value) << i;
    }
    return same;
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all, EMULATOR_HERE) {
    *all = __match_any_sync(mask, value, file, line) == mask;
    return *all ? mask : 0;
}

#define EMULATOR_REDUCTION(name, type, expression)                                   \
    inline type name(unsigned mask, type value, EMULATOR_HERE) {                     \
        type a = value;                                                              \
        bool first = true;                                                           \
        for (unsigned i = 0; i < 32; ++i) {                                          \
            if (!(mask >> i & 1)) continue;                                          \
            const type b = ::emulator::shuffle(mask, value, i, {#name, file, line}); \
            a = first ? b : expression;                                              \
            first = false;                                                           \
        }                                                                            \
        return a;                                                                    \
    }
EMULATOR_REDUCTION(__reduce_add_sync, unsigned, a + b)
EMULATOR_REDUCTION(__reduce_add_sync, int, a + b)
EMULATOR_REDUCTION(__reduce_min_sync, unsigned, a < b ? a : b)
EMULATOR_REDUCTION(__reduce_min_sync, int, a < b ? a : b)
EMULATOR_REDUCTION(__reduce_max_sync, unsigned, a > b ? a : b)
EMULATOR_REDUCTION(__reduce_max_sync, int, a > b ? a : b)
EMULATOR_REDUCTION(__reduce_and_sync, unsigned, a& b)
EMULATOR_REDUCTION(__reduce_or_sync, unsigned, a | b)
EMULATOR_REDUCTION(__reduce_xor_sync, unsigned, a ^ b)
#undef EMULATOR_REDUCTION

// What they were before Volta, for all lanes that have not left the kernel.
template <class T>
T __shfl(T value, int source, int width = 32, EMULATOR_HERE) {
    return __shfl_sync(::emulator::warp_lanes(), value, source, width, file, line);
}
template <class T>
T __shfl_up(T value, unsigned delta, int width = 32, EMULATOR_HERE) {
    return __shfl_up_sync(::emulator::warp_lanes(), value, delta, width, file, line);
}
template <class T>
T __shfl_down(T value, unsigned delta, int width = 32, EMULATOR_HERE) {
    return __shfl_down_sync(::emulator::warp_lanes(), value, delta, width, file, line);
}
template <class T>
T __shfl_xor(T value, int lane_mask, int width = 32, EMULATOR_HERE) {
    return __shfl_xor_sync(::emulator::warp_lanes(), value, lane_mask, width, file, line);
}
inline unsigned __ballot(int predicate, EMULATOR_HERE) {
    return __ballot_sync(::emulator::warp_lanes(), predicate, file, line);
}
inline int __any(int predicate, EMULATOR_HERE) {
    return __any_sync(::emulator::warp_lanes(), predicate, file, line);
}
inline int __all(int predicate, EMULATOR_HERE) {
    return __all_sync(::emulator::warp_lanes(), predicate, file, line);
}

#undef EMULATOR_HERE
