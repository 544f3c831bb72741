// A team of the warps of 83_split_boxes.h: what it waits for, and how it comes to the format in which it splits.
#pragma once

#include "../common/gemm/split_boxes.h"
#include "83_split_inside.h"

namespace rung_83 {

// The team of a thread.
template <class T>
struct Team {
    const ladder::BoxSteps<T::kAhead>& steps;
    typename T::Shared& shared;
    ladder::Cluster& cluster;
    int meetings = 0;
    bool came_wide = false;

    static __device__ __forceinline__ int number() { return T::slice() / T::Alone::kSlices; }
    static __device__ __forceinline__ int warp() { return __shfl_sync(0xffffffff, threadIdx.x / 32 % kWarps, 0); }
    static __device__ __forceinline__ int line() { return ladder::opaque(threadIdx.x) / 32 % kWarps * kChunkLines; }

    // To be called once all warps of the team have read step `step` and used what they read: requests a later step to
    // its place or, after the last step in the first place, lets the other blocks send their sums there.
    __device__ __forceinline__ void release(int step) const {
        steps.request(step + T::kAhead, warp());
        if (step + T::kAhead >= steps.last && (step - steps.first) % T::kAhead == 0) cluster.begin();
    }

    template <class Format>
    __device__ __forceinline__ bool split(const ladder::Chunk& chunk) const {
        auto& stage = shared.stages[number()];
        return steps.is_along_n(line()) ? chunk.template split_to<Format, true>(stage, line())
                                        : chunk.template split_to<Format, false>(stage, line());
    }

    // A barrier of the team.
    __device__ __forceinline__ void meet() {
        auto& met = shared.met[number()];
        __syncwarp();
        if (threadIdx.x % 32 == 0) met.arrive();
        met.wait(meetings++ % 2);
    }
    // The same; returns whether a thread has come to it with is_lossy.
    __device__ __forceinline__ bool meet(bool is_lossy) {
        auto& lossy = static_cast<volatile int&>(shared.lossy[number()]);
        if (__any_sync(0xffffffff, is_lossy) && threadIdx.x % 32 == 0) lossy = meetings + 1;
        meet();
        return lossy >= meetings;  // more, if a warp is at the next meeting already
    }

    // In the narrow format, before the team's barrier: whether the warp changes to the wide one, since it would lose
    // something. It splits its numbers again at once, so a team all of whose warps change needs one barrier, not two.
    __device__ __forceinline__ bool goes_wide(bool is_lossy) {
        came_wide = __any_sync(0xffffffff, is_lossy);
        int& wide = shared.wide[number()];
        if (came_wide && threadIdx.x % 32 == 0) atomicAdd(&wide, 1);
        return came_wide;
    }
    __device__ __forceinline__ int gone_wide() const { return static_cast<volatile int&>(shared.wide[number()]); }

    // Of the narrow format: whether a warp has gone over; then all do.
    __device__ __forceinline__ bool meet_narrow() {
        meet();
        return gone_wide() > 0;
    }
    // In the wide format: meet(is_lossy), and once more if other warps of the team came to that barrier with the narrow
    // format.
    __device__ __forceinline__ bool meet_wide(bool is_lossy) {
        bool is_any = meet(is_lossy);
        if (came_wide && gone_wide() < kWarps) is_any = meet(is_lossy);
        came_wide = false;
        return is_any;
    }
};

}  // namespace rung_83
