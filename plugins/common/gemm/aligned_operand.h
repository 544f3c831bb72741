// An operand for TMA, the unit that copies boxes (box_copy.h): its rows run along n for A and along K for B, and begin
// at multiples of 16 bytes. One that lies so is taken as it is, any other is copied into workspace first: 8 bytes an
// element are read and written.
#pragma once

#include "../export/workspace.h"
#include "../ptx/early_launch.h"
#include "packed_tiles.h"

namespace ladder {

// to[line * to_line + n * to_n] = number n of that line; a block does a square, by way of shared memory, and reads and
// writes whole rows of it whatever the strides are.
static __global__ void __launch_bounds__(kPackThreads)
    copy_lines(Lines lines, int N, float* to, int64_t to_line, int64_t to_n) {
    __shared__ float square[kPackSide][kPackSide + 1];  // one more, so that a column is in different banks
    let_next_kernel_start();
    wait_for_kernel_before();
    const int squares = ceil_div(N, kPackSide);  // of 64 lines
    const int first_n = int(blockIdx.x % squares) * kPackSide, first_line = int(blockIdx.x / squares) * kPackSide;
    const int x = threadIdx.x % kPackSide;
    const float* const from = lines.start();
    for (int y = threadIdx.x / kPackSide; y < kPackSide; y += kPackThreads / kPackSide) {
        const int line = lines.of_n == 1 ? y : x, n = lines.of_n == 1 ? x : y;
        if (first_line + line >= lines.count || first_n + n >= N) continue;
        square[line][n] = from[(first_line + line) * lines.of_line + (first_n + n) * lines.of_n];
    }
    __syncthreads();
    for (int y = threadIdx.x / kPackSide; y < kPackSide; y += kPackThreads / kPackSide) {
        const int line = to_n == 1 ? y : x, n = to_n == 1 ? x : y;
        if (first_line + line >= lines.count || first_n + n >= N) continue;
        to[(first_line + line) * to_line + (first_n + n) * to_n] = square[line][n];
    }
}

struct AlignedOperand {
    Lines lines;
    int N;
    bool is_a;

    int rows() const { return is_a ? lines.count : N; }
    int cols() const { return is_a ? N : lines.count; }
    int64_t pitch() const { return int64_t{ceil_div(cols(), 4)} * 4; }

    bool fits() const {
        return !lines.slot && (is_a ? lines.of_n : lines.of_line) == 1 &&
               aligned16(lines.data, is_a ? lines.of_line : lines.of_n);
    }
    // Of the copy; 0 where none is needed.
    size_t bytes() const { return fits() ? 0 : (size_t(rows()) * pitch() * sizeof(float) + 255) / 256 * 256; }

    // The operand as it is, or its copy at `memory`, which is enqueued.
    Lines enqueue(float* memory, cudaStream_t stream) const {
        if (fits()) return lines;
        const int64_t squares = int64_t{ceil_div(lines.count, kPackSide)} * ceil_div(N, kPackSide);
        const int64_t to_line = is_a ? pitch() : 1, to_n = is_a ? 1 : pitch();
        launch_early(copy_lines, dim3(static_cast<unsigned>(squares)), kPackThreads, 0, stream, lines, N, memory,
                     to_line, to_n);
        return {memory, nullptr, to_line, to_n, lines.count};
    }
};

// Calls enqueue(i, a, b), which returns a code, for each product of a call, and enqueues the copies before: the
// code of the first that fails.
template <class Enqueue>
int for_each_aligned(const solve_gemm_t& call, Enqueue enqueue) {
    const auto a_of = [&](int i) { return AlignedOperand{lines_of_a(call, i), call.N, true}; };
    const auto b_of = [&](int i) { return AlignedOperand{lines_of_b(call, i), call.N, false}; };
    size_t of_a = 0, of_b = 0;
    for (int i = 0; i < call.batch; ++i) of_a = std::max(of_a, a_of(i).bytes()), of_b = std::max(of_b, b_of(i).bytes());
    const auto stream = static_cast<cudaStream_t>(call.stream);
    const Workspace workspace(of_a + of_b, stream, {call.workspace, call.workspace_bytes});
    if (of_a + of_b > 0 && !workspace.data()) {
        return fail("no memory for a copy of an operand, %zu bytes", of_a + of_b), SOLVE_DEVICE_ERROR;
    }
    float* const copy_of_b = workspace.data() + of_a / sizeof(float);
    for (int i = 0; i < call.batch; ++i) {
        const Lines a = a_of(i).enqueue(workspace.data(), stream), b = b_of(i).enqueue(copy_of_b, stream);
        if (const int code = enqueue(i, a, b); code != SOLVE_OK) return code;
    }
    return SOLVE_OK;
}

}  // namespace ladder
