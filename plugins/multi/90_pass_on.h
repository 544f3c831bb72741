// How 90 passes on the parts of a slab, of which each GPU has loaded its own, in the order of streams and events.
#pragma once

#include <vector>

#include "../common/multi/gpu_set.h"
#include "90_operands.h"
#include "90_tiles.h"

namespace rung_multi_90 {

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
inline void gather(GpuSet& set, const Slab& slab, const std::vector<Buffers>& buffers, int i) {
    using ladder::Communicators;
    const auto gather_along = [&](Communicators::Axis axis, float* parts, size_t count) {
        if (count > 0) set.communicators().all_gather(axis, i, parts, count, set.gpu(i).stream(kExchange));
    };
    const size_t a = size_t(slab.share_of_a(i).each) * slab.a(i).length;
    const size_t b = size_t(slab.share_of_b(i).each) * slab.b(i).length;
    if (slab.grid.cols > 1) gather_along(Communicators::along_row, buffers[i].a[slab.buffer], a);
    if (slab.grid.rows > 1) gather_along(Communicators::along_column, buffers[i].b[slab.buffer], b);
}

inline void copy_from_peers(GpuSet& set, const Slab& slab, const std::vector<Buffers>& buffers, int i) {
    const cudaStream_t stream = set.gpu(i).stream(kExchange);
    for_each_peer(slab.grid, i, [&](int peer, bool same_row) {
        const Share share = same_row ? slab.share_of_a(peer) : slab.share_of_b(peer);
        const size_t length = same_row ? slab.a(i).length : slab.b(i).length, begin = share.begin * length;
        const auto parts_of = [&](int of) { return (same_row ? buffers[of].a : buffers[of].b)[slab.buffer]; };
        ladder::order(stream, set.gpu(peer).event(kLoaded + slab.buffer));
        if (share.count * length == 0) return;
        ladder::must(cudaMemcpyPeerAsync(parts_of(i) + begin, set.gpu(i).number(), parts_of(peer) + begin,
                                         set.gpu(peer).number(), sizeof(float) * share.count * length, stream),
                     "cudaMemcpyPeerAsync");
    });
}

// The parts of B that rank 0's GPUs have loaded come to those of the other hosts, in the order of their streams kIn.
inline void receive_b(GpuSet& set, const Slab& slab, const std::vector<Buffers>& buffers) {
    if (!set.across()) return;
    set.across()->group([&] {
        for (int i = 0; i < slab.grid.count(); ++i) {
            const Share share = slab.share_of_b(i);
            const size_t length = slab.b(i).length;
            if (share.count * length == 0) continue;
            set.gpu(i).make_current();
            set.across()->broadcast(i, buffers[i].b[slab.buffer] + share.begin * length, share.count * length,
                                    set.gpu(i).stream(kIn));
        }
    });
}

// After each GPU's kLoaded, and before its kGathered, which is recorded here.
inline void pass_on(GpuSet& set, const Slab& slab, const std::vector<Buffers>& buffers) {
    const auto for_each_gpu = [&](auto body) {
        for (int i = 0; i < slab.grid.count(); ++i) set.gpu(i).make_current(), body(i);
    };
    const auto stream = [&](int i) { return set.gpu(i).stream(kExchange); };
    for_each_gpu([&](int i) { ladder::order(stream(i), set.gpu(i).event(kLoaded + slab.buffer)); });
    if (set.exchange() == ladder::Exchange::peer) {
        for_each_gpu([&](int i) { copy_from_peers(set, slab, buffers, i); });
    } else if (set.exchange() != ladder::Exchange::none) {
        set.communicators().group([&] { for_each_gpu([&](int i) { gather(set, slab, buffers, i); }); });
    }
    for_each_gpu([&](int i) { ladder::record(set.gpu(i), set.gpu(i).event(kGathered + slab.buffer), stream(i)); });
}

inline cudaEvent_t ended(GpuSet& set, int i, Streams stream) {
    return set.gpu(i).event(kEnded + static_cast<size_t>(stream));
}

// Until all is done on all GPUs, and C is written.
inline void finish(GpuSet& set, int gpus, ladder::HostCopies& copies) {
    copies.drain();
    // All is recorded while the GPUs work, and what ends last is waited for last.
    constexpr Streams kAll[] = {kIn, kExchange, kCompute, kOut};
    for (const Streams each : kAll) {
        for (int i = 0; i < gpus; ++i) ladder::record(set.gpu(i), ended(set, i, each), set.gpu(i).stream(each));
    }
    for (const Streams each : kAll) {
        for (int i = 0; i < gpus; ++i) set.wait(ended(set, i, each));
    }
    set.check();
}

}  // namespace rung_multi_90
