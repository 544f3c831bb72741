// One thread's copies of tiles of A that shared memory is to hold transposed, as [n][row]: a word at a time, since
// neighbours in A lie in different rows there. The addresses of the thread's rows stay in registers.
#pragma once

#include "../ptx/cp_async.h"
#include "../ptx/early_launch.h"
#include "../ptx/opaque.h"

namespace ladder {

// kThreads copy tiles of kTileM rows x kTileN n. A pass is 8 n x 16 rows, of each warp 4 rows x 8 words: whole sectors.
// Of a tile that is 16 n deep it is 16 n x 8 rows, and what a warp's copy reads lies in two lines of 128 bytes, not
// in four: with tiles of 64 x 128, both operands along n, 1024 x 1024 x 1024 takes 45.1 us for 47.3. Words of n and
// n + 8 are in one bank then, unless kExchange: of every second 8 n the rows r and r ^ 2 exchange their places, which
// is worth 0.7 us there. For want of registers every second pass of a deep tile has no address of its own.
template <int kTileM, int kTileN, int kThreads, bool kExchange = false>
struct CopiesOfA {
    static constexpr bool kDeep = kTileN % 16 == 0;
    static constexpr int kSide = kDeep ? 16 : 8;  // n of a pass
    static constexpr int kPassRows = kThreads / kSide;
    static constexpr int kTogether = kDeep ? 2 : 1;  // passes by one address
    static constexpr int kAddresses = kTileM / kPassRows / kTogether;
    static_assert(kTileN % kSide == 0 && kTileM % (kPassRows * kTogether) == 0, "whole passes");

    // What the thread of that number copies of a pass.
    __device__ __forceinline__ explicit CopiesOfA(int thread)
        : own_n(thread % kSide), own_row(thread / kSide), own_place(own_row ^ (kExchange ? own_n / 8 * 2 : 0)) {}

    // Sets `from` to where the first tile begins: at that row and n of A, which has `rows` rows from there on. Past the
    // last row a copy takes the last one, or zeros: what it brings ends in sums that are not stored.
    __device__ __forceinline__ void begin(const float* (&from)[kAddresses], const float* A, int64_t lda, int row,
                                          int rows, int n) const {
#pragma unroll
        for (int i = 0; i < kAddresses; ++i) {
            from[i] = A + (row + min(own_row + i * kTogether * kPassRows, rows - 1)) * lda + n + own_n;
        }
    }

    // For wait_for_kernel_before(): those addresses. Of a tile that is not deep only the last, since with all of them
    // the FFMA of 86's large tile have other registers, 2 % slower by the static model.
    static __device__ __forceinline__ uint64_t computed(const float* const (&from)[kAddresses]) {
        uint64_t all = bits(from[kAddresses - 1]);
#pragma unroll
        for (int i = 0; kDeep && i < kAddresses - 1; ++i) all |= bits(from[i]);
        return all;
    }

    // Requests the next tile, which has `left` of N ahead of it; past N there are zeros. kWhole: it has all its rows.
    template <bool kWhole, int kPitch>
    __device__ __forceinline__ void request(AsyncCopies& copies, float (&tile)[kTileN][kPitch],
                                            const float* (&from)[kAddresses], int64_t lda, int left, int rows) const {
#pragma unroll
        for (int i = 0; i < kAddresses; ++i) {
            const float* at = from[i];
#pragma unroll
            for (int pass = i * kTogether; pass < (i + 1) * kTogether; ++pass) {
                if (pass > i * kTogether) at = opaque(at + kPassRows * lda);
                const bool there = kWhole || pass == i * kTogether || own_row + pass * kPassRows < rows;
#pragma unroll
                for (int n = 0; n < kTileN; n += kSide) {
                    copies.copy4(&tile[n + own_n][own_place + pass * kPassRows], at + n, there && n + own_n < left);
                }
            }
            from[i] += kTileN;
        }
    }

    const int own_n, own_row, own_place;
};

}  // namespace ladder
