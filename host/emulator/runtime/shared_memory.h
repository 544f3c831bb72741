// The shared memory of the block that a block runner executes.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace emulator {

class SharedMemory {
  public:
    // The largest opt-in of a block on compute capability 9.0, and what a block has without one.
    static constexpr size_t kMaximum = 227 << 10;
    static constexpr size_t kDefault = 48 << 10;

    SharedMemory();
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    // Forgets the last block's variables and fills the dynamic part with NaN.
    void start_block(size_t dynamic_bytes);

    // Memory for a static variable, filled with NaN and 128-byte aligned, or null if more than kDefault is in use.
    void* allocate(int variable, size_t bytes);

    void** variables() { return variables_.data(); }
    void* dynamic() { return memory_ + kGap; }
    size_t static_bytes() const { return static_bytes_; }

  private:
    // The dynamic part first, then room for the static variables: |gap|dynamic|gap|a|gap|b|gap...
    // Between them lie poisoned gaps, so that AddressSanitizer sees an overrun by up to 128 bytes.
    static constexpr size_t kGap = 128;
    static constexpr size_t kStaticBegin = kGap + kMaximum + kGap;
    // Each variable takes its size rounded up to 128 and a gap; the smallest variable is one byte.
    static constexpr size_t kVariables = 128;
    static constexpr size_t kSize = kStaticBegin + kDefault + kVariables * 2 * kGap;

    char* memory_;
    std::vector<void*> variables_;
    size_t static_end_ = 0;
    size_t static_bytes_ = 0;
};

}  // namespace emulator
