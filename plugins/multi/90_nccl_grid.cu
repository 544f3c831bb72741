// All GPUs of the host as a grid: each byte of A and B crosses PCIe once, and goes on from GPU to GPU.
//
// Against 20: a tile of C lies on each GPU of a grid of 2 x 2, say. GPUs of a row of the grid need the same rows of a
// slab of A, those of a column the same columns of a slab of B: each loads its part of what they share, and NCCL's
// all-gather gives it to the others (common/multi/exchange.h: copy engines do it, since beside a persistent
// kernel no SM is free for NCCL's own). Of the slabs, the first are small, and the last of a tile is multiplied in
// chunks of rows, each of which is on its way back while the next is computed. One thread enqueues for all GPUs.
//
// Limit: max(2 n^3 / (P F), 8 n^2 / B_in), and the first slab and the last chunk. With 57 TFLOP/s a GPU and 196 GB/s
// from the host into four, the arithmetic is the longer from n = 4700 on.
//
// Source: SUMMA (van de Geijn, Watts), with C stationary; NCCL.
// build: least=75 as=90a
#include <algorithm>
#include <vector>

#include "../common/multi/export.h"
#include "../common/multi/gpu_set.h"
#include "../common/multi/settings.h"
#include "../common/multi/tiling.h"
#include "90_pass_on.h"
#include "90_tiles.h"
#include "product.h"

namespace rung_multi_90 {

using ladder::Gpu;
using ladder::GpuGrid;
using ladder::GpuSet;

constexpr int kMostSlab = 8192;
constexpr int kMostChunks = 8, kLeastChunk = 16;  // chunks of a tile, rows of one

class Call {
  public:
    Call(GpuSet& set, const ladder::Settings& settings, const GpuGrid& grid, const float* A, const float* B, float* C,
         int M, int N, int K)
        : set_(set),
          grid_(grid),
          copies_(settings.host_threads, [&set](cudaEvent_t event) { set.wait(event); }),
          A_{A, N, M, N},
          B_{B, K, N, K},
          C_{C, K, M, K},
          tiling_(ladder::choose_tiling(ceil_div(M, grid.rows), N, ceil_div(K, grid.cols), kMostSlab,
                                        set.memory(grid.count(), settings.device_memory),
                                        [&](const ladder::Tiling& tiling) { return Elements(grid, tiling).bytes(); })),
          pageable_{ladder::is_pageable(A, size_t(M) * N), ladder::is_pageable(B, size_t(N) * K),
                    ladder::is_pageable(C, size_t(M) * K)},
          buffers_(grid.count()) {
        static const ladder::NcclFound& nccl = *new ladder::NcclFound(ladder::look_for_nccl());
        const Elements elements(grid, tiling_);
        set_.prepare(grid, nccl, elements.bytes());
        for (int i = 0; i < grid.count(); ++i) {
            for (float*& each : buffers_[i].a) each = set_.gpu(i).take(elements.a);
            for (float*& each : buffers_[i].b) each = set_.gpu(i).take(elements.b);
            for (float*& each : buffers_[i].c) each = set_.gpu(i).take(elements.c);
        }
    }

    void run() {
        const int64_t step_row = int64_t{tiling_.rows} * grid_.rows, step_col = int64_t{tiling_.cols} * grid_.cols;
        for (int64_t row = 0; row < C_.rows; row += step_row) {
            for (int64_t col = 0; col < C_.cols; col += step_col) {
                tiles_ = tiles_of(grid_, int(row), int(col), int(std::min(step_row, C_.rows - row)),
                                  int(std::min(step_col, C_.cols - col)));
                tile_buffer_ = int(rounds_++ % kTileBuffers);
                compute_tiles();
            }
        }
        for (int i = 0; i < grid_.count(); ++i) {
            copies_.finish(set_.rings(i));
            for (const Streams each : {kIn, kExchange, kCompute, kOut}) {
                ladder::record(gpu(i), event(i, kCopied), stream(i, each));
                set_.wait(event(i, kCopied));
            }
        }
        set_.check();
    }

  private:
    Gpu& gpu(int i) { return set_.gpu(i); }
    cudaStream_t stream(int i, Streams which) { return gpu(i).stream(which); }
    cudaEvent_t event(int i, int which) { return gpu(i).event(which); }

    // Calls body(i) for each GPU, which is the current one then.
    template <class Body>
    void for_each_gpu(Body body) {
        for (int i = 0; i < grid_.count(); ++i) gpu(i).make_current(), body(i);
    }

    void compute_tiles() {
        int first = 0;
        for (const int terms : ladder::slabs_of(A_.cols, tiling_.slab)) {
            const int buffer = int(slabs_++ % kSlabBuffers);
            for_each_gpu([&](int i) { load(i, buffer, first, terms); });
            pass_on(set_, grid_, tiles_, buffers_, buffer, terms);
            for_each_gpu([&](int i) { multiply_slab(i, buffer, first, terms); });
            first += terms;
        }
        copy_tiles_back();
    }

    // This GPU's parts of a slab, when nobody needs any more what was in the buffer before.
    void load(int i, int buffer, int first, int terms) {
        if (slabs_ > kSlabBuffers) {
            ladder::order(stream(i, kIn), event(i, kMultiplied + buffer));
            for_each_peer(grid_, i,
                          [&](int peer, bool) { ladder::order(stream(i, kIn), event(peer, kGathered + buffer)); });
        }
        const Tile& tile = tiles_[i];
        const Share rows = share_of_a(grid_, i, tile), part = share_of_b(grid_, i, terms);
        const ladder::Part<float> a{buffers_[i].a[buffer], terms, tile.rows, terms};
        const ladder::Part<float> b{buffers_[i].b[buffer], tile.cols, terms, tile.cols};
        if (rows.count > 0) {
            copies_.in(gpu(i), set_.rings(i), a.block(rows.begin, 0, rows.count, terms),
                       A_.block(tile.row + rows.begin, first, rows.count, terms), pageable_[0], stream(i, kIn));
        }
        if (part.count > 0 && tile.cols > 0) {
            copies_.in(gpu(i), set_.rings(i), b.block(part.begin, 0, part.count, tile.cols),
                       B_.block(first + part.begin, tile.col, part.count, tile.cols), pageable_[1], stream(i, kIn));
        }
        ladder::record(gpu(i), event(i, kLoaded + buffer), stream(i, kIn));
    }

    static int chunks_of(const Tile& tile) { return std::clamp(tile.rows / kLeastChunk, 1, kMostChunks); }
    int chunk_event(int chunk) const { return kChunk + tile_buffer_ * kMostChunks + chunk; }

    // Adds a slab to the tile, the last one in chunks of rows.
    void multiply_slab(int i, int buffer, int first, int terms) {
        const Tile& tile = tiles_[i];
        const cudaStream_t compute = stream(i, kCompute);
        ladder::order(compute, event(i, kGathered + buffer));
        if (first == 0 && rounds_ > kTileBuffers) ladder::order(compute, event(i, kCopied + tile_buffer_));
        const bool is_last = first + terms == A_.cols;
        const int chunks = is_last ? chunks_of(tile) : 1;
        for (int chunk = 0; chunk < chunks && !tile.is_empty(); ++chunk) {
            const Share rows = share_of(tile.rows, chunks, chunk);
            const float* const a = buffers_[i].a[buffer] + size_t(rows.begin) * terms;
            float* const c = c_of(i) + size_t(rows.begin) * tile.cols;
            if (rows.count > 0) {
                multi::enqueue_product({a, terms, buffers_[i].b[buffer], tile.cols, c, tile.cols, rows.count, terms,
                                        tile.cols, 1.0f, first == 0 ? 0.0f : 1.0f, compute});
            }
            if (is_last) ladder::record(gpu(i), event(i, chunk_event(chunk)), compute);
        }
        ladder::record(gpu(i), event(i, kMultiplied + buffer), compute);
    }

    // After all products have been enqueued: to empty pinned buffers is to wait.
    void copy_tiles_back() {
        for (int chunk = 0; chunk < kMostChunks; ++chunk) {
            for_each_gpu([&](int i) {
                const Tile& tile = tiles_[i];
                const Share rows = share_of(tile.rows, chunks_of(tile), chunk);
                if (tile.is_empty() || rows.count == 0) return;
                const ladder::Part<const float> c{c_of(i), tile.cols, tile.rows, tile.cols};
                ladder::order(stream(i, kOut), event(i, chunk_event(chunk)));
                copies_.out(gpu(i), set_.rings(i), C_.block(tile.row + rows.begin, tile.col, rows.count, tile.cols),
                            c.block(rows.begin, 0, rows.count, tile.cols), pageable_[2], stream(i, kOut));
            });
        }
        for_each_gpu([&](int i) { ladder::record(gpu(i), event(i, kCopied + tile_buffer_), stream(i, kOut)); });
    }

    float* c_of(int i) const { return buffers_[i].c[tile_buffer_]; }

    GpuSet& set_;
    const GpuGrid grid_;
    ladder::HostCopies copies_;
    const ladder::Part<const float> A_, B_;
    const ladder::Part<float> C_;
    const ladder::Tiling tiling_;
    const bool pageable_[3];
    std::vector<Buffers> buffers_;
    std::vector<Tile> tiles_;
    int64_t rounds_ = 0, slabs_ = 0;
    int tile_buffer_ = 0;
};

inline void multiply_on(const GpuGrid& grid, const float* A, const float* B, float* C, int M, int N, int K) {
    const ladder::Settings settings = ladder::read_settings();
    ladder::with_kept<GpuSet>([&](GpuSet& set) { Call(set, settings, grid, A, B, C, M, N, K).run(); });
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply_on(ladder::grid_of(ladder::read_settings().gpus), A, B, C, M, N, K);
}

}  // namespace rung_multi_90

SOLVE_EXPORT_HOST(rung_multi_90::multiply, .summary = "all GPUs: each byte crosses PCIe once, and goes on by NCCL",
                  .source = "SUMMA, NCCL")
