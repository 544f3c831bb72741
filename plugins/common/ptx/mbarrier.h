// Barriers in shared memory that threads arrive at without waiting and wait at without arriving: mbarrier. On GPUs of
// compute capability 9.0 and later, for its wait; the rest is older.
//
// A barrier goes through phases 0, 1, 2, ... Each is complete when the number of arrivals it was made for has come, and
// the bytes that these have announced (bulk_copy.h), and the next one begins. Who waits names the phase by its parity,
// which suffices while nobody falls two phases behind. A wait makes visible what the arriving threads wrote before they
// arrived.
//
// On the CPU the copies that an arrival waits for are done as late as can be: when nothing else in the block can go on
// and somebody waits for the phase. Until then their destinations hold NaN, see cp_async.h.
#pragma once

#include "cp_async.h"

#ifdef SOLVE_EMULATOR
#include <cstring>
#include <functional>
#include <unordered_map>
#include <vector>
#endif

namespace ladder {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr bool kHasMbarrier = false;  // a kernel that needs it returns at once, and its solve fails: see supports()
#else
constexpr bool kHasMbarrier = true;
#endif

// Lives in shared memory.
class Mbarrier {
  public:
    // Begins phase 0, and has every phase complete after that many arrivals. For one thread; a __syncthreads must
    // follow before anybody uses the barrier.
    __device__ __forceinline__ void init(int arrivals);

    // Arrives at once, or as soon as everything that this thread has requested of `copies` so far is there.
    __device__ __forceinline__ void arrive();
    __device__ __forceinline__ void arrive_after(AsyncCopies& copies);

    // Arrives at once, and announces that many bytes of bulk copies (expect_tx), less than 2^20, to the current phase.
    __device__ __forceinline__ void arrive_expecting(unsigned bytes);

    // Waits until the phase with that parity, 0 or 1, is complete: the current phase or the one before it. Before phase
    // 0 there was, for this purpose, a phase of parity 1.
    __device__ __forceinline__ void wait(int parity);

    // Arrives at once at this barrier and at that of the same place in the other block of a cluster of two: whoever
    // waits counts the arrivals of both. In the emulator each block stands for the other, too: it arrives twice.
    __device__ __forceinline__ void arrive_in_pair();

#ifdef SOLVE_EMULATOR
    // Has copy() done, and its bytes counted, as late as can be; until then `to` holds NaN.
    void land_later(void* to, unsigned bytes, std::function<void()> copy);
#endif

  private:
    friend class BoxSource;  // for the address
    friend class Cluster;
    friend __device__ void bulk_copy(void* to, const void* from, unsigned bytes, Mbarrier& barrier);

#ifdef SOLVE_EMULATOR
    struct Landing {
        std::vector<AsyncCopies::Copy> copies;
        unsigned bytes = 0;  // if there are any, these land by copy_bytes(), and nobody arrives
        std::function<void()> copy_bytes;
    };
    // The arrivals that copies are still ahead of, at this barrier of the block that this OS thread executes.
    std::vector<Landing>& landings() {
        static thread_local std::unordered_map<Mbarrier*, std::vector<Landing>> of_barrier;
        return of_barrier[this];
    }
    void land();
    void complete_if_all_came();

    uint16_t arrivals_, missing_;
    uint32_t parity_ : 1;
    int32_t awaited_ : 31;  // bytes, announced and not there
#else
    __device__ __forceinline__ unsigned address() const {
        return static_cast<unsigned>(__cvta_generic_to_shared(&state_));
    }

    uint64_t state_;
#endif
};

static_assert(sizeof(Mbarrier) == 8);

#ifdef SOLVE_EMULATOR

inline void Mbarrier::init(int arrivals) {
    landings().clear();  // of an earlier block
    arrivals_ = missing_ = static_cast<uint16_t>(arrivals);
    parity_ = 0;
    awaited_ = 0;
}

inline void Mbarrier::complete_if_all_came() {
    if (missing_ > 0 || awaited_ != 0) return;
    missing_ = arrivals_;
    parity_ = !parity_;
}

inline void Mbarrier::arrive() {
    --missing_;
    complete_if_all_came();
}

inline void Mbarrier::arrive_expecting(unsigned bytes) {
    awaited_ += static_cast<int>(bytes);
    arrive();
}

inline void Mbarrier::arrive_after(AsyncCopies& copies) {
    landings().push_back({copies.take()});
}

inline void Mbarrier::arrive_in_pair() {
    arrive();
    arrive();
}

inline void Mbarrier::land_later(void* to, unsigned bytes, std::function<void()> copy) {
    std::memset(to, 0xff, bytes);  // NaN in every format
    landings().push_back({{}, bytes, std::move(copy)});
}

inline void Mbarrier::land() {
    std::vector<Landing>& all = landings();
    for (const Landing& each : all) {
        for (const AsyncCopies::Copy& copy : each.copies) AsyncCopies::perform(copy);
        if (each.bytes == 0) {
            arrive();
            continue;
        }
        each.copy_bytes();
        awaited_ -= static_cast<int>(each.bytes);
        complete_if_all_came();
    }
    all.clear();
}

inline void Mbarrier::wait(int parity) {
    bool first = true;
    ::emulator::wait_until(
        [&] {
            if (!std::exchange(first, false)) land();  // everybody else had a turn
            return static_cast<int>(parity_) != parity;
        },
        "Mbarrier::wait");
}

#else

__device__ __forceinline__ void Mbarrier::init(int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void Mbarrier::arrive() {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address()) : "memory");
}

__device__ __forceinline__ void Mbarrier::arrive_in_pair() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#pragma unroll
    for (int rank = 0; rank < 2; ++rank) {
        asm volatile(
            "{\n\t"
            ".reg .b32 there;\n\t"
            "mapa.shared::cluster.u32 there, %0, %1;\n\t"
            "mbarrier.arrive.shared::cluster.b64 _, [there];\n\t"
            "}" ::"r"(address()),
            "r"(rank)
            : "memory");
    }
#endif
}

__device__ __forceinline__ void Mbarrier::arrive_expecting(unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes) : "memory");
}

__device__ __forceinline__ void Mbarrier::arrive_after(AsyncCopies&) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address()) : "memory");
}

// try_wait sleeps for a while before it answers no, so that the loop takes few issue slots from other warps.
__device__ __forceinline__ void Mbarrier::wait(int parity) {
    asm volatile(
        "{\n\t"
        ".reg .pred complete;\n"
        "again:\n\t"
        "mbarrier.try_wait.parity.shared.b64 complete, [%0], %1;\n\t"
        "@!complete bra again;\n\t"
        "}" ::"r"(address()),
        "r"(parity)
        : "memory");
}

#endif

}  // namespace ladder
