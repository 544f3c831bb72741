// A part of an operand of any form, copied to shared memory as [n][place], a word at a time, by a whole block: each
// line, a row of op(A) or a column of op(B), has a place of its own.
#pragma once

#include <bit>

#include "../ptx/cp_async.h"
#include "../ptx/early_launch.h"

namespace ladder {

// Log2 of the lanes that lie along n, of an operand whose n are neighbours in memory; else, where its lines are, -1.
inline int lanes_along(bool along, int N) {
    return along ? static_cast<int>(std::bit_width(static_cast<unsigned>(N < 8 ? N : 8) - 1u)) : -1;
}

// Waits until all threads' groups of copies but the newest ones, 3 at most, are there for all of the block.
__device__ __forceinline__ void wait_but_for(AsyncCopies& copies, int newest) {
    if (newest == 0) {
        copies.wait<0>();
    } else if (newest == 1) {
        copies.wait<1>();
    } else {
        newest == 2 ? copies.wait<2>() : copies.wait<3>();
    }
    __syncthreads();
}

// Of the lines counted from line 0 those from `begin` to before `end` exist.
class OperandPart {
  public:
    // Line 0 is number `first` of the matrix, which may be negative.
    __device__ __forceinline__ OperandPart(const float* matrix, int64_t ld, int lanes, int first, int begin, int end)
        : from_(matrix + first * (lanes < 0 ? 1 : ld)),
          ld_(ld),
          lanes_(lanes),
          begin_(begin),
          size_(max(end - begin, 0)) {}

    // What the addresses are made of, for wait_for_kernel_before().
    __device__ __forceinline__ uint64_t computed() const { return bits(from_) | size_; }

    // Requests `count` n from the first_n-th on of lines 0 to kLines - 1, by kThreads threads. line_of(i) orders the
    // lines so that neighbours in that order are in different banks. Places of lines with a stride of a multiple
    // of 32 have the same stride as those of line 0 and that multiple.
    template <int kLines, int kPitch, int kThreads, class LineOf, class PlaceOf>
    __device__ __forceinline__ void request(AsyncCopies& copies, float* to, int first_n, int count, LineOf line_of,
                                            PlaceOf place_of) const {
        if (lanes_ >= 0) {
            const int own_n = threadIdx.x & ((1 << lanes_) - 1);
#pragma unroll 1
            for (int i = threadIdx.x >> lanes_; i < kLines; i += kThreads >> lanes_) {
                const int line = line_of(i);
                if (!exists(line)) continue;
                const float* const from = from_ + line * ld_ + first_n;
                float* const there = to + place_of(line);
#pragma unroll 1
                for (int n = own_n; n < count; n += 1 << lanes_) copies.copy4(there + n * kPitch, from + n, true);
            }
        } else {
            const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
            const float* from = from_ + (first_n + warp) * ld_ + lane;
            float* there = to + warp * kPitch + place_of(lane);
#pragma unroll 1
            for (int n = warp; n < count; n += kThreads / 32) {
#pragma unroll
                for (int i = 0; i < kLines; i += 32) {
                    if (exists(lane + i)) copies.copy4(there + place_of(i), from + i, true);
                }
                from += kThreads / 32 * ld_;
                there += kThreads / 32 * kPitch;
            }
        }
    }

  private:
    __device__ __forceinline__ bool exists(int line) const {
        return static_cast<unsigned>(line - begin_) < size_;
    }

    const float* const from_;  // n = 0 of line 0
    const int64_t ld_;
    const int lanes_, begin_;
    const unsigned size_;
};

}  // namespace ladder
