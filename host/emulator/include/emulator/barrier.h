// __syncthreads and the fences.
#pragma once

#include <atomic>

#include "atomics.h"
#include "thread.h"

namespace emulator {

// Where a thread waits; taken from the call's default arguments, so that a fault can name the line.
struct Place {
    const char* function;
    const char* file;
    int line;
};

// Waits for every thread of the block; returns for how many of them `predicate` was true.
int block_barrier(Place place, bool predicate);

// Lets the other threads of the block run until `ready()` holds: for waits on memory, such as an mbarrier's. It is
// a fault if no thread of the block makes progress.
void wait_for_others(Place place);
void wait_is_over();
template <class Ready>
void wait_until(Ready ready, const char* function = "wait_until", const char* file = __builtin_FILE(),
                int line = __builtin_LINE()) {
    if (ready()) return;
    do {
        wait_for_others({function, file, line});
    } while (!ready());
    wait_is_over();
}

}  // namespace emulator

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    ::emulator::block_barrier({"__syncthreads", file, line}, false);
}
inline int __syncthreads_count(int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return ::emulator::block_barrier({"__syncthreads_count", file, line}, predicate != 0);
}
inline int __syncthreads_or(int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return ::emulator::block_barrier({"__syncthreads_or", file, line}, predicate != 0) > 0;
}
inline int __syncthreads_and(int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return ::emulator::block_barrier({"__syncthreads_and", file, line}, predicate == 0) == 0;
}

inline void __threadfence() {
    ::emulator::note_communication();
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void __threadfence_block() {
    __threadfence();
}
inline void __threadfence_system() {
    __threadfence();
}
inline void __nanosleep(unsigned) {}
