// How 90 cuts C among the GPUs of a grid, and a slab among those who share it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../common/export/launch.h"
#include "../common/multi/communicators.h"
#include "../common/multi/gpu.h"
#include "../common/multi/tiling.h"

namespace rung_multi_90 {

using ladder::ceil_div;
using ladder::GpuGrid;

constexpr int kSlabBuffers = 3, kTileBuffers = 2;

// Elements of the buffers of a GPU; of A and B one part, all of the same size, for each GPU that shares it.
struct Elements {
    size_t a, b, c;

    Elements(const GpuGrid& grid, const ladder::Tiling& tiling)
        : a(size_t(grid.cols) * ceil_div(tiling.rows, grid.cols) * tiling.slab),
          b(size_t(grid.rows) * ceil_div(tiling.slab, grid.rows) * tiling.cols),
          c(size_t(tiling.rows) * tiling.cols) {}

    size_t bytes() const {
        return kSlabBuffers * (ladder::aligned_bytes(a) + ladder::aligned_bytes(b)) +
               kTileBuffers * ladder::aligned_bytes(c);
    }
};

// A GPU's tile of C: what it is of the whole. It may have no rows, or no columns.
struct Tile {
    int row, col, rows, cols;

    bool is_empty() const { return rows == 0 || cols == 0; }
};

// A part of C as tiles for all GPUs, as even as its rows and columns go.
inline std::vector<Tile> tiles_of(const GpuGrid& grid, int row, int col, int rows, int cols) {
    const int height = ceil_div(rows, grid.rows), width = ceil_div(cols, grid.cols);
    std::vector<Tile> tiles;
    for (int i = 0; i < grid.count(); ++i) {
        const int y = static_cast<int>(std::min<int64_t>(rows, int64_t{i / grid.cols} * height));
        const int x = static_cast<int>(std::min<int64_t>(cols, int64_t{i % grid.cols} * width));
        tiles.push_back({row + y, col + x, std::min(height, rows - y), std::min(width, cols - x)});
    }
    return tiles;
}

// One of equal parts, of which the last ones may be short or empty.
struct Share {
    int each, begin, count;
};

inline Share share_of(int count, int parts, int which) {
    const int each = ceil_div(count, parts);
    const int begin = static_cast<int>(std::min<int64_t>(count, int64_t{each} * which));
    return {each, begin, std::min(each, count - begin)};
}

// Rows of its tile that a GPU loads of A, for its row of the grid.
inline Share share_of_a(const GpuGrid& grid, int gpu, const Tile& tile) {
    return share_of(tile.rows, grid.cols, gpu % grid.cols);
}

// Rows of a slab of B that a GPU loads, for its column of the grid.
inline Share share_of_b(const GpuGrid& grid, int gpu, int terms) {
    return share_of(terms, grid.rows, gpu / grid.cols);
}

}  // namespace rung_multi_90
