// Copies from global to shared memory that run beside the thread that asked for them and pass through none of its
// registers: cp.async, on GPUs of compute capability 8.0 and later.
//
// A thread requests copies, commits what it has requested so far as a group, and later waits until all but its newest
// groups are there. That covers its own copies only: before one thread may read what another requested, each waits for
// its own group and then all meet at a barrier.
//
// Older GPUs get loads and stores by the thread that asks: the same result, but it waits for each.
//
// On the CPU the copies are queued and done at the wait that covers them; until then their destinations hold NaN. So a
// wait that is missing or too weak, or a copy into a tile that others still read, gives NaN and not luck.
#pragma once

#include "../export/launch.h"

#ifdef SOLVE_EMULATOR
#include <limits>
#include <utility>
#include <vector>
#endif

namespace ladder {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr bool kHasCpAsync = false;  // a kernel that is nothing without it returns at once, and its solve fails
#else
constexpr bool kHasCpAsync = true;
#endif

// One thread's copies.
class AsyncCopies {
  public:
    // Requests the copy of 4 or 16 bytes, which is also the alignment of both addresses. Not `inside`: zeros are
    // written and `from` is not read.
    __device__ __forceinline__ void copy4(float* to, const float* from, bool inside);
    __device__ __forceinline__ void copy16(float* to, const float* from, bool inside);

    // The same 16 bytes by way of L1: for a few lines that all blocks read. If all SMs ask L2 for the same 704 bytes,
    // they wait for each other: 4 x 44 x 8107 (TN) takes 3.9 us in rung 79 without L1, 1.8 with it. What a block reads
    // once is up to 13 % faster past L1.
    __device__ __forceinline__ void copy16_by_l1(float* to, const float* from, bool inside);

    // Closes the group of the copies requested since the last call; it may be empty.
    __device__ __forceinline__ void commit();

    // Waits until all groups that this thread has committed are complete, but for the newest kNewest.
    template <int kNewest>
    __device__ __forceinline__ void wait();

#ifdef SOLVE_EMULATOR
  private:
    friend class Mbarrier;  // which an arrival may come to once the copies are there

    struct Copy {
        float* to;
        const float* from;  // null: zeros
        int floats;
        int group;
    };

    void request(float* to, const float* from, int floats) {
        for (int i = 0; i < floats; ++i) to[i] = std::numeric_limits<float>::quiet_NaN();
        copies_.push_back({to, from, floats, group_});
    }

    static void perform(const Copy& copy) {
        for (int i = 0; i < copy.floats; ++i) copy.to[i] = copy.from ? copy.from[i] : 0.0f;
    }

    void forget_done() {
        copies_.erase(copies_.begin(), copies_.begin() + std::exchange(done_, 0));
    }

    // Those that were not waited for, which are this thread's no longer.
    std::vector<Copy> take() {
        forget_done();
        return std::exchange(copies_, {});
    }

    std::vector<Copy> copies_;  // requested, oldest first
    size_t done_ = 0;           // how many of them were waited for
    int group_ = 0;             // the group that the next commit closes
#endif
};

#ifdef SOLVE_EMULATOR

inline void AsyncCopies::copy4(float* to, const float* from, bool inside) {
    request(to, inside ? from : nullptr, 1);
}

inline void AsyncCopies::copy16(float* to, const float* from, bool inside) {
    if (reinterpret_cast<uintptr_t>(to) % 16 != 0 || (inside && reinterpret_cast<uintptr_t>(from) % 16 != 0)) {
        __builtin_trap();  // as on the GPU: misaligned address
    }
    request(to, inside ? from : nullptr, 4);
}

inline void AsyncCopies::copy16_by_l1(float* to, const float* from, bool inside) {
    copy16(to, from, inside);
}

inline void AsyncCopies::commit() {
    ++group_;
}

template <int kNewest>
inline void AsyncCopies::wait() {
    while (done_ < copies_.size() && copies_[done_].group < group_ - kNewest) perform(copies_[done_++]);
    if (2 * done_ >= copies_.size()) forget_done();
}

#else

// L2 fetches 128 bytes, not 32 or 64, of what comes from memory: a tile's step of 16 n is 64 bytes of each row along n.
// 6470 x 8136 x 30 takes 99.7 us for 118.6 by 67 (H200); nothing else that was timed is slower.
//
// No "memory" clobber on a copy: a barrier, or the wait, stands between it and whatever else touches its destination.
__device__ __forceinline__ void AsyncCopies::copy4(float* to, const float* from, bool inside) {
    if constexpr (!kHasCpAsync) {
        *to = inside ? *from : 0.0f;
        return;
    }
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(inside ? 4 : 0));
}

__device__ __forceinline__ void AsyncCopies::copy16(float* to, const float* from, bool inside) {
    if constexpr (!kHasCpAsync) {
        *reinterpret_cast<float4*>(to) = inside ? *reinterpret_cast<const float4*>(from) : float4{};
        return;
    }
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared), "l"(from),
                 "r"(inside ? 16 : 0));
}

__device__ __forceinline__ void AsyncCopies::copy16_by_l1(float* to, const float* from, bool inside) {
    if constexpr (!kHasCpAsync) return copy16(to, from, inside);
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared), "l"(from),
                 "r"(inside ? 16 : 0));
}

__device__ __forceinline__ void AsyncCopies::commit() {
    if constexpr (kHasCpAsync) asm volatile("cp.async.commit_group;");
}

template <int kNewest>
__device__ __forceinline__ void AsyncCopies::wait() {
    if constexpr (kHasCpAsync) asm volatile("cp.async.wait_group %0;" ::"n"(kNewest) : "memory");
}

#endif

}  // namespace ladder
