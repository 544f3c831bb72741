// How a thread's sums of a tile are stored, which lie in its registers as wgmma leaves them (split_place in
// split_job.h): as they are, in pairs; exchanged by shuffles, in whole sectors of memory; or in rows, by way of shared
// memory.
#pragma once

#include "split_job.h"

namespace ladder {

// Stores a thread's sums, if job.stores_pairs().
template <class Format, int kWords>
__device__ __forceinline__ void store_pairs(const SplitJob& job, int2 corner, const float (&sum)[kWords]) {
    const int2 place = split_place<Format>();
    float* const C = job.start_of_c();
#pragma unroll
    for (int i = 0; i < kWords; i += 2) {
        const int row = corner.x + place.x + i / 2 % 2 * 8, col = corner.y + place.y + i / 4 * 8;
        if (row >= job.rows() || col >= job.cols()) continue;
        const float2 pair = make_float2(job.epilogue.alpha * sum[i], job.epilogue.alpha * sum[i + 1]);
        *reinterpret_cast<float2*>(C + row * job.ldc + col) = pair;
    }
}

// Stores them whatever the alignment of C's rows is, if beta is 0. Four lanes have eight contiguous words of a row.
// They exchange them by shuffles with the eight before, so that they store a sector of 32 bytes, a pair each: of sector
// k of a row lane q has the words from 8k - shift + 2q on. Which eight a word is of, and which lane has it, depends on
// the row, not on k. At 2047 it takes 1 us less than rows, at 2048x2048x2044 3 us less than pairs across two sectors.
template <class Format, int kWords>
__device__ __forceinline__ void store_sectors(const SplitJob& job, int2 corner, float (&sum)[kWords]) {
    constexpr int kEights = kWords / 4;
    const int2 place = split_place<Format>();
    const int q = threadIdx.x % 4, row = corner.x + place.x;
    float* const line = job.start_of_c() + row * job.ldc + corner.y;
    const int shift = reinterpret_cast<uintptr_t>(line) / sizeof(float) % 8;  // also eight rows further down
    const int pairs = shift / 2, odd = shift % 2;
    const int lane_of_first = (q - pairs - odd) & 3, lane_of_second = (q - pairs) & 3;
    if (job.epilogue.alpha != 1.0f) {
#pragma unroll
        for (float& each : sum) each *= job.epilogue.alpha;
    }
    // Whether what this lane gives is of the sector's own eight words, not of the eight before.
    const bool first_is_own = q + pairs + odd < 4, second_is_own = q + pairs < 4;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        const int left = row + h * 8 < job.rows() ? min(kWords * 2, job.cols() - corner.y) + shift - q * 2 : 0;
        float* const from = line + h * 8 * job.ldc - shift + q * 2;
        float first_before = 0.0f, second_before = 0.0f;
#pragma unroll
        for (int k = 0; k <= kEights; ++k) {
            const int word = (k < kEights ? k : 0) * 4 + h * 2;
            const float first = odd ? sum[word + 1] : sum[word];
            const float second = odd ? sum[word] : sum[word + 1];
            const float a = __shfl_sync(0xffffffff, first_is_own ? first : first_before, lane_of_first, 4);
            const float b = __shfl_sync(0xffffffff, second_is_own ? second : second_before, lane_of_second, 4);
            first_before = first, second_before = second;
            const bool has_first = k > 0 || q * 2 >= shift, has_second = k > 0 || q * 2 + 1 >= shift;
            if (has_first && k * 8 + 1 < left) *reinterpret_cast<float2*>(from + k * 8) = make_float2(a, b);
            if (has_first && k * 8 + 1 == left) from[k * 8] = a;
            if (k == 0 && !has_first && has_second && left > 1) from[1] = b;
        }
    }
}

// Stores them by way of shared memory, with room for all sums of the block at `memory`: so a warp stores up to 32 words
// of a row at once, all of them in one line of 128 bytes, wherever rows of C begin. No other warp's sums are touched.
template <class Format, int kWords>
__device__ __forceinline__ void store_rows(const SplitJob& job, int2 corner, const float (&sum)[kWords],
                                           float* memory) {
    constexpr int kRows = 16, kCols = kWords * 2;
    const int lane = threadIdx.x % 32, first_row = corner.x + split_place<Format>().x - lane / 4;
    float* const own = memory + threadIdx.x / 32 * kRows * kCols;
    const auto place = [&](int row, int col) { return own + row * kCols + (col ^ row % 4 * 8); };  // in other banks
    __syncwarp();  // all lanes have read what the tile before left there
#pragma unroll
    for (int i = 0; i < kWords; i += 2) {
        float* const to = place(lane / 4 + i / 2 % 2 * 8, lane % 4 * 2 + i / 4 * 8);
        *reinterpret_cast<float2*>(to) = make_float2(sum[i], sum[i + 1]);
    }
    __syncwarp();
    float* to = job.start_of_c() + first_row * job.ldc + corner.y;
    // Of a slice there may be no column inside.
    const int rows = min(kRows, job.rows() - first_row), cols = max(min(kCols, job.cols() - corner.y), 0);
    constexpr int kAtATime = 4, kLines = kCols / 32;  // rows; words of a row that a lane stores
    const float alpha = job.epilogue.alpha, beta = job.epilogue.beta;
#pragma unroll 1
    for (int first = 0; first < rows; first += kAtATime) {
        float word[kAtATime][kLines];
        // A row that does not begin at a line of 128 bytes reaches into one line more: lanes without a word in the
        // first line have one in the last.
        const auto for_each = [&](auto visit) {
#pragma unroll
            for (int r = 0; r < kAtATime; ++r) {
                float* const of_row = to + r * job.ldc;
                const int col = lane - int(reinterpret_cast<uintptr_t>(of_row) / sizeof(float) % 32);
                const float* const from = own + (first + r) * kCols + (col ^ r * 8);
                const int of_first = col < 0 ? kCols : 0;
#pragma unroll
                for (int i = 0; i < kLines; ++i) {
                    const int more = i > 0 ? i * 32 : of_first;
                    visit(word[r][i], from[more], of_row + col + more, first + r < rows && col + more < cols);
                }
            }
        };
        for_each([&](float& w, const float& sum, float*, bool) { w = alpha * sum; });
        if (beta != 0.0f) {
            for_each([&](float& w, const float&, float* c, bool inside) { w += beta * (inside ? *c : 0.0f); });
        }
        for_each([&](float& w, const float&, float* c, bool inside) {
            if (inside) *c = w;
        });
        to += kAtATime * job.ldc;
    }
}

}  // namespace ladder
