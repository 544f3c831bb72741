// One thread's copies of tiles of A that shared memory is to hold as [n][row]: a word at a time, since neighbours in A
// lie in different rows there. The addresses of the thread's rows stay in registers.
#pragma once

#include "../ptx/cp_async.h"

namespace ladder {

// kThreads copy tiles of kTileM rows x kTileN n. A pass is 8 n x 16 rows, of each warp 4 rows x 8 words: whole sectors.
template <int kTileM, int kTileN, int kThreads>
struct CopiesOfA {
    static constexpr int kPassRows = kThreads / 8, kPasses = kTileM / kPassRows;
    static_assert(kTileN % 8 == 0 && kTileM % kPassRows == 0, "whole passes");

    // What the thread of that number copies of a pass.
    __device__ __forceinline__ explicit CopiesOfA(int thread) : own_n(thread % 8), own_row(thread / 8) {}

    // Sets `from` to where the first tile begins: at that row and n of A, which has `rows` rows from there on. Past the
    // last row a copy takes the last one: what it brings ends in sums that are not stored.
    __device__ __forceinline__ void begin(const float* (&from)[kPasses], const float* A, int64_t lda, int row, int rows,
                                          int n) const {
#pragma unroll
        for (int i = 0; i < kPasses; ++i) {
            from[i] = A + (row + min(own_row + i * kPassRows, rows - 1)) * lda + n + own_n;
        }
    }

    // Requests the next tile, which has `left` of N ahead of it; past N there are zeros.
    template <int kPitch>
    __device__ __forceinline__ void request(AsyncCopies& copies, float (&tile)[kTileN][kPitch],
                                            const float* (&from)[kPasses], int left) const {
#pragma unroll
        for (int i = 0; i < kPasses; ++i) {
#pragma unroll
            for (int n = 0; n < kTileN; n += 8) {
                copies.copy4(&tile[n + own_n][own_row + i * kPassRows], from[i] + n, n + own_n < left);
            }
            from[i] += kTileN;
        }
    }

    const int own_n, own_row;
};

}  // namespace ladder
