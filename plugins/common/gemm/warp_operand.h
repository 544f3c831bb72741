// An operand that a warp copies to shared memory for itself, and multiplies out of it, as it lies in memory: with its
// rows along n or across n.
#pragma once

#include "../ptx/cp_async.h"
#include "tile.h"

namespace ladder {

// An operand, of which kLines lines are in a tile: rows of op(A) or columns of op(B). kAlongN: a line's words lie side
// by side, [line][n] in shared memory too; else those of one n do, [n][line].
template <int kLines, int kChunk, bool kAlongN>
struct WarpOperand {
    static constexpr int kWide = kAlongN ? kChunk : kLines, kHigh = kAlongN ? kLines : kChunk;
    static constexpr int kPitch = kAlongN ? kChunk + 4 : kLines;  // four lines, or eight, are in different banks
    const float* from;                                            // line 0, n 0
    int64_t ld;
    int lines;  // that there are from there on
    bool vector;

    // Requests a chunk for a warp, from n on, of which `left` are left of N; what is outside is zero.
    __device__ __forceinline__ void request(AsyncCopies& async, float* to, unsigned n, int left) const {
        const float* const chunk = from + (kAlongN ? n : n * ld);
        const int wide = kAlongN ? left : lines, high = kAlongN ? lines : left;
        vector ? request_as<4>(async, to, chunk, wide, high) : request_as<1>(async, to, chunk, wide, high);
    }

  private:
    template <int kWidth>
    __device__ __forceinline__ void request_as(AsyncCopies& async, float* to, const float* chunk, int wide,
                                               int high) const {
        constexpr int kLanes = kWide / kWidth < 32 ? kWide / kWidth : 32, kPass = 32 / kLanes;
        const int lane = threadIdx.x % 32, own = lane / kLanes, x = lane % kLanes * kWidth;
        static_assert(kWide % (kLanes * kWidth) == 0, "whole rows");
        if (kPass * kLanes < 32 && own == kPass) return;  // 20 lines: the remainder of the lanes
#pragma unroll
        for (int y = own; y < kHigh; y += kPass) {
#pragma unroll
            for (int right = 0; right < kWide; right += kLanes * kWidth) {
                const bool inside = y < high && x + right < wide;
                const float* const word = chunk + y * ld + x + right;
                if constexpr (kWidth == 4) async.copy16(&to[y * kPitch + x + right], word, inside);
                if constexpr (kWidth == 1) async.copy4(&to[y * kPitch + x + right], word, inside);
            }
        }
    }
};

// Which of the tile's lines a lane has, of kLanes lanes side by side: every kLanes-th one, or groups of neighbours.
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
