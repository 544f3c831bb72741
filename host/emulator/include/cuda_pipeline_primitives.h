// Asynchronous copies: the data arrive at the wait, so that a missing wait is seen.
#pragma once

#include <cstring>

#include "cuda_runtime.h"
#include "emulator/async_copy.h"

inline void __pipeline_memcpy_async(void* target, const void* source, size_t bytes, size_t zeros = 0) {
    ::emulator::async_copy(target, source, bytes, bytes - zeros);
}
inline void __pipeline_commit() {
    ::emulator::async_commit();
}
inline void __pipeline_wait_prior(size_t groups) {
    ::emulator::async_wait(groups);
}
