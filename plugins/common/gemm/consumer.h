// The loop of a warp that multiplies its part of a tile of C, from the ring of stages that others fill: that of rung
// 80, with the barriers in the stages, and with the FFMA along the rows in serpentine order, which is fastest there.
// Which column comes first, kFirst, and which row, kFirstRow, decide what registers nvcc takes and how many register
// bank conflicts there are: of eight orders of the columns each kernel has its fastest, by up to 7 %, and to one of
// them another first row is worth 1.2 %.
#pragma once

#include "ring.h"
#include "warp64x64.h"

namespace ladder::warp64x64 {

// The ring and the operands are held by reference, not by value: nvcc keeps an object with arrays in one piece until it
// has unrolled the loops, and then finds other registers for its other members.
template <class T, int kFirst = 0, int kFirstRow = 0>
class Consumer {
  public:
    // For the outputs at `place` of tiles of T::kM x T::kK, and the T::kDepth n of each stage that begin at `slice` *
    // T::kDepth. Waits for the first stage.
    __device__ __forceinline__ Consumer(Ring<T>& ring, Operands& operands, Place place, int slice)
        : ring_(ring), operands_(operands), place_(place), slice_(slice) {
        enter();
        load(0);
    }

    // sum += A * B over the next end - begin stages.
    __device__ __forceinline__ void multiply(int begin, int end, float (&sum)[kRows][kCols]) {
#pragma unroll 1
        for (int step = begin; step < end; ++step) {
#pragma unroll
            for (int n = 0; n < T::kDepth; ++n) {
                if (n == T::kDepth - 1) {
                    __syncwarp();  // all lanes have read the stage
                    if (threadIdx.x % 32 == 0) ring_.stage->empty.arrive();
                    ring_.advance();
                    enter();
                }
                load((n + 1) % T::kDepth);
#pragma unroll
                for (int s = 0; s < kRows; ++s) {
#pragma unroll
                    for (int t = 0; t < kCols; ++t) {
                        const int i = s ^ kFirstRow, j = (s % 2 ? kCols - 1 - t : t) ^ kFirst;
                        sum[i][j] += operands_.a[n % 2][i] * operands_.b[n % 2][j];
                    }
                }
            }
        }
    }

  private:
    __device__ __forceinline__ void enter() {
        ring_.stage->full.wait(ring_.parity);
        next_a_ = &ring_.stage->a[slice_ * T::kDepth][place_.y];
        next_b_ = &ring_.stage->b[slice_ * T::kDepth][place_.x];
    }
    __device__ __forceinline__ void load(int n) {
        operands_.load(n, next_a_ + n * T::kPitchA, next_b_ + n * T::kPitchB);
    }

    Ring<T>& ring_;
    Operands& operands_;
    const Place place_;
    const int slice_;
    const float *next_a_, *next_b_;
};

// Multiplies by alpha before the sums are stored, not in the store: the products may be in other registers, so the sums
// can be where the FFMA read them best, and need not be the four registers in a row of a 128-bit store.
__device__ __forceinline__ void scale(float (&sum)[kRows][kCols], float alpha) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
        for (int j = 0; j < kCols; ++j) sum[i][j] *= alpha;
    }
}

}  // namespace ladder::warp64x64
