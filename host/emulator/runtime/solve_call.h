// A call of the plugin's solve, as the judge sees it: its matrices are device memory, and what it allocates it frees.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <optional>

#include "faults.h"

namespace emulator {

class SolveCall {
  public:
    SolveCall(const float* A, const float* B, float* C, int M, int N, int K);
    ~SolveCall();
    SolveCall(const SolveCall&) = delete;
    SolveCall& operator=(const SolveCall&) = delete;

    // Of a plugin for several GPUs: what it is given is the host's, and on no stream.
    static bool has_host_matrices();

    // Whether this thread is in one whose matrices are known to be device memory, so that what is not is the host's.
    static bool is_inside();

    // Whether all device memory is known, on any thread: what is not the device's is the host's then.
    static bool knows_all_memory();

    // Holds off the calls of other threads while it exists; owns nothing if there are some.
    static std::unique_lock<std::mutex> alone();

  private:
    const void* matrices_[3];
    int sizes_[3];
    std::array<size_t, 2> live_;
    std::optional<FaultTrap> trap_;
};

// Whether the last call on this thread had nothing to write: M or K was 0.
bool had_nothing_to_write();

// What the last call on this thread does not wait for, or what the calls so far leave behind; null for neither.
const char* remark_on_calls();

}  // namespace emulator
