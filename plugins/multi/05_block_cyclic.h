// A matrix that lies block-cyclically on a grid of GPUs, in square blocks.
#pragma once

#include <algorithm>
#include <vector>

#include "../common/multi/communicators.h"
#include "../common/multi/host_copies.h"
#include "../common/multi/settings.h"

namespace rung_multi_05 {

using ladder::GpuGrid;
using ladder::Part;

// Elements a side, and how many blocks each GPU has at least along a side that is long. On four H100 in a grid of 2 x 2
// the product reached 131, 149 and 161 TFLOP/s at 8192 with blocks of 512, 1024 and 2048, and at 16384 173, 180 and 186
// with 1024, 2048 and 4096; grids of 1 x 4 and 4 x 1 were 1 to 2 % slower, memory registered with NCCL no faster.
constexpr int kMostBlock = 4096, kLeastBlocks = 2;

// The side of the blocks that distribute the longest side evenly; of all three matrices, since cuBLASMp wants equal
// blocks along a side that two of them have.
inline int block_for(const GpuGrid& grid, int M, int N, int K) {
    const int64_t longest = std::max({M, N, K}), many = std::max(grid.rows, grid.cols);
    const int64_t blocks = std::max<int64_t>(kLeastBlocks, (longest - 1) / (many * kMostBlock) + 1);
    const int64_t side = (longest - 1) / (many * blocks) + 1;
    return ladder::count_in_environment("SOLVE_BLOCK", int(side > 64 ? (side + 63) / 64 * 64 : side), 1 << 20);
}

// A matrix as it lies in the host's memory.
inline Part<float> lying(const float* data, int64_t ld, uint32_t transposed, int rows, int cols) {
    return {const_cast<float*>(data), ld, transposed ? cols : rows, transposed ? rows : cols};  // only C is written
}
inline Part<const float> constant(const Part<float>& part) {
    return {part.data, part.ld, part.rows, part.cols};
}

// As ScaLAPACK's numroc: how much number `own` has of a length that is distributed block-cyclically among `many`.
inline int numroc(int length, int block, int many, int own) {
    const int whole = length / block, remainder = length % block, next = whole % many;
    return (whole / many + (own < next)) * block + (own == next ? remainder : 0);
}

// As it lies in the host's memory, and on each GPU: its blocks there lie as those of one matrix, side by side and one
// below the other.
struct BlockCyclic {
    Part<float> host;
    GpuGrid grid;
    int block;
    std::vector<float*> on_gpu{};

    int rows_of(int gpu) const { return numroc(host.rows, block, grid.rows, gpu / grid.cols); }
    int cols_of(int gpu) const { return numroc(host.cols, block, grid.cols, gpu % grid.cols); }
    size_t elements(int gpu) const { return size_t(rows_of(gpu)) * cols_of(gpu); }

    // Calls body(a block on the host, the same on the GPU) for each block of a GPU.
    template <class Body>
    void for_each_block(int gpu, Body body) const {
        const Part<float> there{on_gpu[gpu], cols_of(gpu), rows_of(gpu), cols_of(gpu)};
        for (int64_t row = 0; row < there.rows; row += block) {
            for (int64_t col = 0; col < there.cols; col += block) {
                const int rows = int(std::min<int64_t>(block, there.rows - row)),
                          cols = int(std::min<int64_t>(block, there.cols - col));
                const int64_t host_row = (row / block * grid.rows + gpu / grid.cols) * block,
                              host_col = (col / block * grid.cols + gpu % grid.cols) * block;
                body(host.block(int(host_row), int(host_col), rows, cols), there.block(int(row), int(col), rows, cols));
            }
        }
    }
};

}  // namespace rung_multi_05
