// One thread's copies of tiles of an operand, which shared memory is to hold as [n][row] or [n][column], whichever way
// it lies in memory.
#pragma once

#include "../ptx/opaque.h"
#include "copies_of_a.h"

namespace ladder {

// kThreads threads copy tiles of kN rows of kCols columns, kWidth floats at a time, of a matrix whose rows run across
// n.
template <int kCols, int kN, int kWidth, int kThreads>
struct CopiesOfRows {
    static constexpr int kLanes = kCols / kWidth < 32 ? kCols / kWidth : 32;
    static constexpr int kPassN = kThreads / kLanes, kPassCols = kLanes * kWidth;
    static_assert(kN % kPassN == 0 && kCols % kPassCols == 0, "whole passes");

    __device__ __forceinline__ CopiesOfRows(const float* matrix, int64_t ld, int first_n, int first_col, int /*cols*/)
        : ld_(ld), own_n_(threadIdx.x % kThreads / kLanes), own_col_(threadIdx.x % kLanes * kWidth) {
        from_ = matrix + (first_n + own_n_) * ld + first_col + own_col_;
    }

    static constexpr bool kDeep = false;  // see copies_of_a.h

    // Requests the next tile, which has `left` of N and `cols` columns ahead of it; outside there are zeros.
    template <bool, int kPitch>
    __device__ __forceinline__ void request(AsyncCopies& copies, float (&tile)[kN][kPitch], int left, int cols) {
#pragma unroll
        for (int n = 0; n < kN; n += kPassN) {
#pragma unroll
            for (int col = 0; col < kCols; col += kPassCols) {
                const bool inside = n + own_n_ < left && own_col_ + col < cols;
                if constexpr (kWidth == 4) {
                    copies.copy16(&tile[n + own_n_][col + own_col_], from_ + col, inside);
                } else {
                    copies.copy4(&tile[n + own_n_][col + own_col_], from_ + col, inside);
                }
            }
            from_ = opaque(from_ + kPassN * ld_);
        }
    }

    // What the first address is, for wait_for_kernel_before().
    __device__ __forceinline__ uint64_t computed() const {
        return bits(from_);
    }

    // From how many rows a whole tile can be read: past the last column there are the padding and the next rows then.
    static __device__ __forceinline__ int rows(int N, int first_col, int cols) {
        const int past = static_cast<unsigned>(first_col) + kCols - cols;  // unsigned: the sum may pass 2^31
        return N - max(past, 0);
    }

  private:
    const int64_t ld_;
    const int own_n_, own_col_;
    const float* from_;
};

// The same of tiles of kLines lines along n, which are transposed (copies_of_a.h), and of which two and two are
// exchanged in a deep tile.
template <int kLines, int kN, int kThreads>
struct CopiesOfLines {
    using Copies = CopiesOfA<kLines, kN, kThreads, true>;
    static constexpr bool kDeep = Copies::kDeep;

    __device__ __forceinline__ CopiesOfLines(const float* matrix, int64_t ld, int first_n, int first_line, int lines)
        : copies_(threadIdx.x % kThreads), ld_(ld) {
        copies_.begin(from_, matrix, ld, first_line, lines - first_line, first_n);
    }

    template <bool kWhole, int kPitch>
    __device__ __forceinline__ void request(AsyncCopies& copies, float (&tile)[kN][kPitch], int left, int lines) {
        copies_.template request<kWhole>(copies, tile, from_, ld_, left, lines);
    }

    static __device__ __forceinline__ int rows(int N, int /*first_line*/, int /*lines*/) { return N; }
    __device__ __forceinline__ uint64_t computed() const { return Copies::computed(from_); }

  private:
    const Copies copies_;
    const int64_t ld_;
    const float* from_[Copies::kAddresses];
};

}  // namespace ladder
