// __syncthreads and the fences.
#pragma once

#include <atomic>

#include "atomics.h"
#include "place.h"
#include "thread.h"

namespace emulator {

// Waits for every thread of the block; returns for how many of them `predicate` was true.
int block_barrier(Place place, bool predicate);

// Lets the other threads of the block run until `ready()` holds: for waits on memory, such as an mbarrier's. It is
// a fault if no thread of the launch makes progress.
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

inline void __threadfence(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    ::emulator::note_communication();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    ::emulator::look({"__threadfence", file, line}, false);
}
inline void __threadfence_block(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    __threadfence(file, line);
}
inline void __threadfence_system(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    __threadfence(file, line);
}
inline void __nanosleep(unsigned, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    ::emulator::wait_for_others({"__nanosleep", file, line});
}
