// An operand that a warp copies to shared memory for itself, and multiplies out of it, as it lies in memory: with its
// rows along n or across n (K-major or MN-major, in CUTLASS's words).
#pragma once

#include "../ptx/cp_async.h"
#include "../ptx/early_launch.h"
#include "tile.h"

namespace ladder {

// An operand, of which kLines lines are in a tile: rows of op(A) or columns of op(B). kAlongN: a line's words lie side
// by side, [line][n] in shared memory too; else those of one n do, [n][line]. Each lane has an address of its own,
// which is there before the first request (early_launch.h). kFew: it has few lines, which all blocks read.
template <int kLines, int kChunk, bool kAlongN, bool kFew>
class WarpOperand {
    static constexpr int kWide = kAlongN ? kChunk : kLines, kHigh = kAlongN ? kLines : kChunk;
    template <int kWidth>
    static constexpr int kLanes = kWide / kWidth < 32 ? kWide / kWidth : 32;  // adjacent, kWidth words each

  public:
    static constexpr int kPitch = kAlongN ? kChunk + 4 : kLines;  // four lines, or eight, are in different banks

    // From `matrix` on, the tile's line 0 and n 0, there are `lines` lines. The first chunk begins at first_n, and
    // `step` n lie from one to the next.
    __device__ __forceinline__ WarpOperand(const float* matrix, int64_t ld, int lines, bool vector, unsigned first_n,
                                           unsigned step)
        : from_(matrix + (kAlongN ? first_n : first_n * ld) + (vector ? y<4>() * ld + x<4>() : y<1>() * ld + x<1>())),
          ld_(ld),
          step_(kAlongN ? step : step * ld),
          lines_(lines),
          vector_(vector) {}

    // Requests the next chunk for a warp, of which `left` n are left of N; what is outside is zero.
    __device__ __forceinline__ void request(AsyncCopies& async, float* to, int left) {
        const int wide = kAlongN ? left : lines_, high = kAlongN ? lines_ : left;
        vector_ ? request_as<4>(async, to, wide, high) : request_as<1>(async, to, wide, high);
        from_ += step_;
    }

    // What the addresses are made of, for wait_for_kernel_before().
    __device__ __forceinline__ uint64_t computed() const { return bits(from_) | uint64_t(step_); }

  private:
    template <int kWidth>
    static __device__ __forceinline__ int x() {
        return threadIdx.x % 32 % kLanes<kWidth> * kWidth;
    }
    template <int kWidth>
    static __device__ __forceinline__ int y() {
        return threadIdx.x % 32 / kLanes<kWidth>;
    }

    template <int kWidth>
    __device__ __forceinline__ void request_as(AsyncCopies& async, float* to, int wide, int high) const {
        constexpr int kAcross = kLanes<kWidth>, kPass = 32 / kAcross;
        static_assert(kWide % (kAcross * kWidth) == 0, "whole rows");
        const int own_x = x<kWidth>(), own_y = y<kWidth>();
        if (kPass * kAcross < 32 && own_y == kPass) return;  // 20 lines: the remainder of the lanes
#pragma unroll
        for (int down = 0; down < kHigh; down += kPass) {
            if (kHigh % kPass != 0 && own_y + down >= kHigh) break;
#pragma unroll
            for (int right = 0; right < kWide; right += kAcross * kWidth) {
                const bool inside = own_y + down < high && own_x + right < wide;
                const float* const word = from_ + down * ld_ + right;
                float* const there = &to[(own_y + down) * kPitch + own_x + right];
                if constexpr (kWidth == 4 && kFew) async.copy16_by_l1(there, word, inside);
                if constexpr (kWidth == 4 && !kFew) async.copy16(there, word, inside);
                if constexpr (kWidth == 1) async.copy4(there, word, inside);
            }
        }
    }

    const float* from_;
    const int64_t ld_, step_;
    const int lines_;
    const bool vector_;
};

// Which of the tile's lines a lane has, of kLanes adjacent lanes: every kLanes-th one, or groups of neighbours.
template <int kCount, int kLanes, bool kAlongN>
struct OwnLines {
    static constexpr int kGroup = kCount % 4 == 0 ? 4 : kCount % 2 == 0 ? 2 : 1;
    int lane;

    __device__ __forceinline__ int line(int i) const {
        return kAlongN ? i * kLanes + lane : i / kGroup * kGroup * kLanes + lane * kGroup + i % kGroup;
    }

    // value[i][q] = line(i) at n + q.
    template <int kSteps, int kPitch>
    __device__ __forceinline__ void read(float (&value)[kCount][kSteps], const float* chunk, int n) const {
        if constexpr (kAlongN) {
#pragma unroll
            for (int i = 0; i < kCount; ++i) {
                const float* const from = &chunk[line(i) * kPitch + n];
                if constexpr (kSteps == 4) copy4(value[i], from);
                if constexpr (kSteps == 2) {
                    const float2 both = *reinterpret_cast<const float2*>(from);
                    value[i][0] = both.x, value[i][1] = both.y;
                }
            }
        } else {
#pragma unroll
            for (int q = 0; q < kSteps; ++q) {
#pragma unroll
                for (int i = 0; i < kCount; i += kGroup) {
                    alignas(16) float group[kGroup];
                    const float* const from = &chunk[(n + q) * kPitch + line(i)];
                    if constexpr (kGroup == 4) copy4(group, from);
                    if constexpr (kGroup != 4) {
#pragma unroll
                        for (int k = 0; k < kGroup; ++k) group[k] = from[k];
                    }
#pragma unroll
                    for (int k = 0; k < kGroup; ++k) value[i + k][q] = group[k];
                }
            }
        }
    }
};

}  // namespace ladder
