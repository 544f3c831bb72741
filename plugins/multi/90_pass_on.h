// How 90 passes on the parts of a slab, of which each GPU has loaded its own, in the order of streams and events.
#pragma once

#include <vector>

#include "../common/multi/gpu_set.h"
#include "90_tiles.h"

namespace rung_multi_90 {

using ladder::GpuSet;

// Of each GPU.
enum Streams { kIn, kExchange, kCompute, kOut };
enum Events {
    kLoaded = 0,
    kGathered = kLoaded + kSlabBuffers,
    kMultiplied = kGathered + kSlabBuffers,
    kCopied = kMultiplied + kSlabBuffers,
    kChunk = kCopied + kTileBuffers
};

struct Buffers {
    float *a[kSlabBuffers], *b[kSlabBuffers], *c[kTileBuffers];
};

// Calls body(peer, whether it is of the same row) for the others of a GPU's row and column.
template <class Body>
void for_each_peer(const GpuGrid& grid, int i, Body body) {
    for (int col = 0; col < grid.cols; ++col) {
        if (col != i % grid.cols) body(i / grid.cols * grid.cols + col, true);
    }
    for (int row = 0; row < grid.rows; ++row) {
        if (row != i / grid.cols) body(row * grid.cols + i % grid.cols, false);
    }
}

// All GPUs of a row have as many rows of C, and all of a column as many columns: they gather alike.
inline void gather(GpuSet& set, const GpuGrid& grid, const std::vector<Tile>& tiles,
                   const std::vector<Buffers>& buffers, int i, int buffer, int terms) {
    using ladder::Communicators;
    const size_t a = size_t(share_of_a(grid, i, tiles[i]).each) * terms;
    const size_t b = size_t(share_of_b(grid, i, terms).each) * tiles[i].cols;
    const auto gather_along = [&](Communicators::Axis axis, float* parts, size_t count) {
        if (count > 0) set.communicators().all_gather(axis, i, parts, count, set.gpu(i).stream(kExchange));
    };
    if (grid.cols > 1) gather_along(Communicators::along_row, buffers[i].a[buffer], a);
    if (grid.rows > 1) gather_along(Communicators::along_column, buffers[i].b[buffer], b);
}

inline void copy_from_peers(GpuSet& set, const GpuGrid& grid, const std::vector<Tile>& tiles,
                            const std::vector<Buffers>& buffers, int i, int buffer, int terms) {
    const cudaStream_t stream = set.gpu(i).stream(kExchange);
    for_each_peer(grid, i, [&](int peer, bool same_row) {
        const Share share = same_row ? share_of_a(grid, peer, tiles[peer]) : share_of_b(grid, peer, terms);
        const size_t row = same_row ? terms : tiles[i].cols, begin = share.begin * row;
        const auto parts_of = [&](int of) { return same_row ? buffers[of].a[buffer] : buffers[of].b[buffer]; };
        ladder::order(stream, set.gpu(peer).event(kLoaded + buffer));
        if (share.count * row == 0) return;
        ladder::must(cudaMemcpyPeerAsync(parts_of(i) + begin, i, parts_of(peer) + begin, peer,
                                         sizeof(float) * share.count * row, stream),
                     "cudaMemcpyPeerAsync");
    });
}

// After each GPU's kLoaded, and before its kGathered, which is recorded here.
inline void pass_on(GpuSet& set, const GpuGrid& grid, const std::vector<Tile>& tiles,
                    const std::vector<Buffers>& buffers, int buffer, int terms) {
    const auto for_each_gpu = [&](auto body) {
        for (int i = 0; i < grid.count(); ++i) set.gpu(i).make_current(), body(i);
    };
    for_each_gpu([&](int i) { ladder::order(set.gpu(i).stream(kExchange), set.gpu(i).event(kLoaded + buffer)); });
    if (set.exchange() == ladder::Exchange::peer) {
        for_each_gpu([&](int i) { copy_from_peers(set, grid, tiles, buffers, i, buffer, terms); });
    } else if (set.exchange() != ladder::Exchange::none) {
        set.communicators().group(
            [&] { for_each_gpu([&](int i) { gather(set, grid, tiles, buffers, i, buffer, terms); }); });
    }
    for_each_gpu(
        [&](int i) { ladder::record(set.gpu(i), set.gpu(i).event(kGathered + buffer), set.gpu(i).stream(kExchange)); });
}

}  // namespace rung_multi_90
