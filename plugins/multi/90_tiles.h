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

// How what a tile needs of an operand for a slab lies, in the host's memory and in a buffer: rows of so many elements.
// Those are the tile's rows of A and the slab's rows of B or, where the operand lies in memory transposed, the slab's
// rows of A' and the tile's rows of B'.
struct Panel {
    int rows, length;
};

inline Panel panel_of_a(bool transposed, int rows, int terms) {
    return transposed ? Panel{terms, rows} : Panel{rows, terms};
}
inline Panel panel_of_b(bool transposed, int terms, int cols) {
    return transposed ? Panel{cols, terms} : Panel{terms, cols};
}

// Elements of the buffers of a GPU; of A and B one part, all of the same size, for each GPU that shares it.
struct Elements {
    size_t a, b, c;

    Elements(const GpuGrid& grid, const ladder::Tiling& tiling, bool transposed_a, bool transposed_b)
        : a(of(panel_of_a(transposed_a, tiling.rows, tiling.slab), grid.cols)),
          b(of(panel_of_b(transposed_b, tiling.slab, tiling.cols), grid.rows)),
          c(size_t(tiling.rows) * tiling.cols) {}

    static size_t of(const Panel& panel, int parts) {
        return size_t(parts) * ceil_div(panel.rows, parts) * panel.length;
    }

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
    rows = std::max(rows, 0);  // of a host that has fewer than others
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

// A slab of the contraction in one of the buffers, for the tiles of all GPUs. A GPU loads some rows of the panel of A,
// for its row of the grid, and some of the panel of B, for its column.
struct Slab {
    const GpuGrid& grid;
    const std::vector<Tile>& tiles;
    bool transposed_a, transposed_b;
    int buffer, first, terms;

    Panel a(int gpu) const { return panel_of_a(transposed_a, tiles[gpu].rows, terms); }
    Panel b(int gpu) const { return panel_of_b(transposed_b, terms, tiles[gpu].cols); }
    Share share_of_a(int gpu) const { return share_of(a(gpu).rows, grid.cols, gpu % grid.cols); }
    Share share_of_b(int gpu) const { return share_of(b(gpu).rows, grid.rows, gpu / grid.cols); }
};

}  // namespace rung_multi_90
