// The numbers that a warp splits (split_chunk.h), where the TMA copies them as boxes: those of a step, 64 n of 64 lines
// of A and of B, some steps ahead.
#pragma once

#include "../ptx/box_copy.h"
#include "split_chunk.h"

namespace ladder {

// Describes boxes of 64 lines by 32 n, or of 64 n by 32 lines: what is contiguous in memory is a row's. False if
// there can be none, or the device alone knows where the operand is.
inline bool describe_boxes(BoxSource& source, const Lines& lines, int N) {
    if (lines.slot) return false;
    if (lines.of_n == 1) return source.describe(lines.data, lines.of_line, lines.count, N, 64, BoxForm::plain);
    return source.describe(lines.data, lines.of_n, N, lines.count, 64, BoxForm::by_fours);
}

using SplitBoxes = float[2][64][kBoxCols];
constexpr int kBoxesOfStep = 4;  // of A and of B

// In shared memory: the steps that have arrived or are in flight.
template <int kSteps>
struct ComingSteps {
    struct alignas(1024) {
        SplitBoxes a, b;
    } step[kSteps];
};

// Of a block: steps first to last - 1 of the tile at that corner.
template <int kSteps>
struct BoxSteps {
    const BoxSource &a, &b;
    const Lines &lines_a, &lines_b;
    const int2 corner;
    const int first, last;
    ComingSteps<kSteps>& coming;
    Mbarrier (&full)[kSteps];

    // Requests a step, if there is such a step, to the place of one that all have read. Each warp that calls this
    // requests one of the four boxes. At 512 a call took 7.4 us so, 8.0 with one thread for all boxes, and 8.6 with a
    // warp for each box of four steps, where those of the first step do not come first.
    __device__ __forceinline__ void request(int step, int warp) const {
        if (step < last && warp < kBoxesOfStep && threadIdx.x % 32 == 0) {
            auto& to = coming.step[place(step)];
            full[place(step)].arrive_expecting(sizeof(to.a[0]));
            warp < 2 ? copy(a, lines_a, to.a, corner.x, step, warp) : copy(b, lines_b, to.b, corner.y, step, warp - 2);
        }
        __syncwarp();
    }

    __device__ __forceinline__ void copy(const BoxSource& source, const Lines& lines, SplitBoxes& to, int line,
                                         int step, int box) const {
        const int n = step * kPackedDepth;
        if (lines.of_n == 1) {
            source.copy(to[box], line, n + box * kBoxCols, full[place(step)]);
        } else {
            source.copy_by_fours(to[box], n, line + box * kBoxCols, full[place(step)]);
        }
    }

    __device__ __forceinline__ void wait(int step) const { full[place(step)].wait((step - first) / kSteps % 2); }

    // Once they have come, the numbers of 16 lines: of A's 64 and, behind them, B's.
    __device__ __forceinline__ void read(Chunk& chunk, int line, int step) const {
        wait(step);
        const auto& boxes = line < 64 ? coming.step[place(step)].a : coming.step[place(step)].b;
        is_along_n(line) ? chunk.read_boxes<true>(boxes, line % 64) : chunk.read_boxes<false>(boxes, line % 64);
    }

    __device__ __forceinline__ int place(int step) const { return (step - first) % kSteps; }

    __device__ __forceinline__ bool is_along_n(int line) const { return (line < 64 ? lines_a : lines_b).of_n == 1; }
};

}  // namespace ladder
