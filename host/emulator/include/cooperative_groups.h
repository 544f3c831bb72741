// Cooperative groups: a block, tiles of a warp, and the grid's numbers. A barrier of the whole grid needs all blocks at
// once, which the emulator does not have.
#pragma once

#include <stdexcept>

#include "cuda_runtime.h"

namespace cooperative_groups {

#define EMULATOR_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

class thread_block {
  public:
    using arrival_token = int;
    static void sync(EMULATOR_HERE) { ::emulator::block_barrier({"thread_block::sync", file, line}, false); }
    static unsigned thread_rank() { return ::emulator::current()->linear; }
    static unsigned size() { return num_threads(); }
    static unsigned num_threads() {
        const dim3 size = ::emulator::current()->block->size;
        return size.x * size.y * size.z;
    }
    static dim3 group_index() { return ::emulator::current()->block->index; }
    static dim3 thread_index() { return ::emulator::current()->index; }
    static dim3 group_dim() { return ::emulator::current()->block->size; }
    static dim3 dim_threads() { return group_dim(); }
};
inline thread_block this_thread_block() {
    return {};
}

class grid_group {
  public:
    static bool is_valid() { return false; }
    static void sync() {
        throw std::runtime_error("grid_group::sync(): the emulator has no barrier of the whole grid");
    }
    static unsigned long long size() {
        const dim3 grid = ::emulator::current()->block->grid;
        return 1ull * grid.x * grid.y * grid.z * thread_block::num_threads();
    }
    static unsigned long long num_threads() { return size(); }
    static dim3 group_dim() { return ::emulator::current()->block->grid; }
    static dim3 dim_blocks() { return group_dim(); }
    static unsigned long long block_rank() {
        const uint3 index = ::emulator::current()->block->index;
        const dim3 grid = ::emulator::current()->block->grid;
        return (1ull * index.z * grid.y + index.y) * grid.x + index.x;
    }
    static unsigned long long thread_rank() {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
};
inline grid_group this_grid() {
    return {};
}

// Lanes of one warp, numbered in their order.
class thread_group {
  public:
    explicit thread_group(unsigned mask) : mask_(mask) {}

    unsigned size() const { return static_cast<unsigned>(__builtin_popcount(mask_)); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const {
        return static_cast<unsigned>(__builtin_popcount(mask_ & ((1u << ::emulator::lane()) - 1)));
    }
    void sync(EMULATOR_HERE) const { ::emulator::warp_barrier({"thread_group::sync", file, line}, mask_); }

    template <class T>
    T shfl(T value, unsigned rank, EMULATOR_HERE) const {
        return ::emulator::shuffle(mask_, value, lane_of(rank % size()), {"shfl", file, line});
    }
    template <class T>
    T shfl_down(T value, unsigned delta, EMULATOR_HERE) const {
        const unsigned rank = thread_rank() + delta;
        return shfl(value, rank < size() ? rank : thread_rank(), file, line);
    }
    template <class T>
    T shfl_up(T value, unsigned delta, EMULATOR_HERE) const {
        return shfl(value, thread_rank() >= delta ? thread_rank() - delta : thread_rank(), file, line);
    }
    template <class T>
    T shfl_xor(T value, unsigned mask, EMULATOR_HERE) const {
        const unsigned rank = thread_rank() ^ mask;
        return shfl(value, rank < size() ? rank : thread_rank(), file, line);
    }
    unsigned ballot(int predicate, EMULATOR_HERE) const {
        const unsigned votes = ::emulator::ballot(mask_, predicate != 0, {"ballot", file, line});
        unsigned ranks = 0;
        for (unsigned i = 0; i < size(); ++i) ranks |= (votes >> lane_of(i) & 1) << i;
        return ranks;
    }
    int any(int predicate, EMULATOR_HERE) const { return ballot(predicate, file, line) != 0; }
    int all(int predicate, EMULATOR_HERE) const { return ballot(predicate == 0, file, line) == 0; }

  private:
    unsigned lane_of(unsigned rank) const {
        unsigned rest = mask_;
        for (; rank > 0; --rank) rest &= rest - 1;
        return static_cast<unsigned>(__builtin_ctz(rest));
    }
    unsigned mask_;
};
using coalesced_group = thread_group;
inline coalesced_group coalesced_threads(EMULATOR_HERE) {
    return coalesced_group(__activemask(file, line));
}

template <unsigned kSize, class Parent = void>
class thread_block_tile : public thread_group {
  public:
    static_assert(kSize <= 32 && (kSize & (kSize - 1)) == 0, "the emulator has tiles of at most 32 threads");
    thread_block_tile() : thread_group((kSize == 32 ? ~0u : (1u << kSize) - 1) << ::emulator::lane() / kSize * kSize) {}

    // As a parameter thread_block_tile<32> takes a tile of any parent.
    template <class Other>
    thread_block_tile(const thread_block_tile<kSize, Other>& other) : thread_group(other) {}

    static constexpr unsigned size() { return kSize; }
    static constexpr unsigned num_threads() { return kSize; }
    static unsigned thread_rank() { return ::emulator::lane() % kSize; }
    static unsigned meta_group_rank() { return ::emulator::current()->linear / kSize; }
    static unsigned meta_group_size() { return (thread_block::num_threads() + kSize - 1) / kSize; }
};
template <unsigned kSize, class Parent>
thread_block_tile<kSize, Parent> tiled_partition(const Parent&) {
    return {};
}
template <class Parent>
thread_group tiled_partition(const Parent&, unsigned size) {
    return thread_group((size == 32 ? ~0u : (1u << size) - 1) << ::emulator::lane() / size * size);
}

template <class Group>
void sync(const Group& group, EMULATOR_HERE) {
    group.sync(file, line);
}

template <class T>
struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class Group, class T, class Operation>
T reduce(const Group& group, T value, Operation operation, EMULATOR_HERE) {
    T result = group.shfl(value, 0, file, line);
    for (unsigned i = 1; i < group.size(); ++i) result = operation(result, group.shfl(value, i, file, line));
    return result;
}

#undef EMULATOR_HERE

}  // namespace cooperative_groups
