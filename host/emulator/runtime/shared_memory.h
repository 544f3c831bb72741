// The shared memory of the block that a block runner executes.
#pragma once

#include <cstddef>
#include <string>
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

    // Memory for a static variable, filled with NaN, or null if more than kDefault is in use, or kVariables variables.
    void* allocate(int variable, size_t bytes, size_t alignment);

    // Where the block has written past one of its variables, in a few words; empty if it has not.
    std::string overrun() const;

    void** variables() { return variables_.data(); }
    void* dynamic() { return memory_ + kDynamic; }
    // Whether an address is of the memory whose dynamic part begins at `dynamic`.
    static bool is_within(const void* dynamic, const void* address) {
        return static_cast<size_t>(static_cast<const char*>(address) - static_cast<const char*>(dynamic)) <
               kSize - kDynamic;
    }
    size_t static_bytes() const { return static_bytes_; }

  private:
    // |inaccessible|dynamic|zone, inaccessible from the next page on|zone|a|zone|b|zone...
    // A zone is NaN, as in what is read there, and what is written there shows when the block ends. AddressSanitizer
    // forbids it at once.
    static constexpr size_t kAlignment = 64 << 10;  // the largest that a declaration may ask for
    static constexpr size_t kPage = 4096, kZone = 1024, kLeast = 128;
    static constexpr size_t kDynamic = kAlignment;
    static constexpr size_t kStatic = kDynamic + (kMaximum + kPage + kAlignment - 1) / kAlignment * kAlignment;
    static constexpr size_t kVariables = 128;
    // Each variable takes its size rounded up to kLeast, and a zone; a few may ask for more alignment than that.
    static constexpr size_t kStaticSize = kZone + kDefault + kVariables * (kLeast + kZone) + 8 * kAlignment;
    static constexpr size_t kSize = kStatic + kStaticSize;

    struct Zone {
        int variable;  // before it; kDynamicPart for the dynamic part, kBefore for none
        size_t bytes;  // of that variable
        char *begin, *end;
    };
    static constexpr int kDynamicPart = -1, kBefore = -2;

    void open_dynamic(size_t bytes);
    void add_zone(const Zone& zone);

    char* mapping_;
    char* memory_;  // aligned to kAlignment
    std::vector<void*> variables_;
    std::vector<Zone> zones_;
    size_t open_bytes_ = 0;  // of the dynamic part, accessible: whole pages
    size_t static_end_ = 0;
    size_t static_bytes_ = 0;
};

}  // namespace emulator
