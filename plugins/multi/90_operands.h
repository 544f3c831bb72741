// The matrices of a call of 90 in the host's memory, and how parts of them come to the GPUs.
#pragma once

#include "../common/export/gemm_call.h"
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
    kEnded = kCopied + kTileBuffers,
    kChunk = kEnded + 4  // streams
};

struct Buffers {
    float *a[kSlabBuffers], *b[kSlabBuffers], *c[kTileBuffers];
};

inline std::vector<Buffers> take_buffers(GpuSet& set, int gpus, const Elements& elements) {
    std::vector<Buffers> buffers(gpus);
    for (int i = 0; i < gpus; ++i) {
        for (float*& a : buffers[i].a) a = set.gpu(i).take(elements.a);
        for (float*& b : buffers[i].b) b = set.gpu(i).take(elements.b);
        for (float*& c : buffers[i].c) c = set.gpu(i).take(elements.c);
    }
    return buffers;
}

class Operands {
  public:
    // Where B is elsewhere it is not looked at.
    Operands(const solve_gemm_t& call, bool has_b)
        : transposed_a(call.transpose_a == SOLVE_T),
          transposed_b(call.transpose_b == SOLVE_T),
          A_{call.A, call.lda, transposed_a ? call.N : call.M, transposed_a ? call.M : call.N},
          B_{call.B, call.ldb, transposed_b ? call.K : call.N, transposed_b ? call.N : call.K},
          C_{call.C, call.ldc, call.M, call.K},
          pageable_a_(ladder::is_pageable(A_)),
          has_b_(has_b),
          pageable_b_(has_b && ladder::is_pageable(B_)),
          pageable_c_(ladder::is_pageable({call.C, call.ldc, call.M, call.K})) {}

    const bool transposed_a, transposed_b;

    bool pageable_in() const { return pageable_a_ || pageable_b_; }
    bool pageable_out() const { return pageable_c_; }

    // A GPU's parts of a slab, on its stream kIn.
    void load(GpuSet& set, ladder::HostCopies& copies, int i, const Slab& slab, const Buffers& buffers) const {
        const Tile& tile = slab.tiles[i];
        load_part(set, copies, i, buffers.a[slab.buffer], slab.a(i), slab.share_of_a(i), A_,
                  transposed_a ? slab.first : tile.row, transposed_a ? tile.row : slab.first, pageable_a_);
        if (!has_b_) return;
        load_part(set, copies, i, buffers.b[slab.buffer], slab.b(i), slab.share_of_b(i), B_,
                  transposed_b ? tile.col : slab.first, transposed_b ? slab.first : tile.col, pageable_b_);
    }

    // C as it was, where it is added to, likewise.
    void load_tile(GpuSet& set, ladder::HostCopies& copies, int i, const Tile& tile, float* to) const {
        if (tile.is_empty()) return;
        const ladder::Part<const float> from{C_.data, C_.ld, C_.rows, C_.cols};
        copies.in(set.gpu(i), {to, tile.cols, tile.rows, tile.cols},
                  from.block(tile.row, tile.col, tile.rows, tile.cols), pageable_c_, set.gpu(i).stream(kIn));
    }

    // Some rows of a tile go back after the event, on its stream kOut.
    void copy_back(GpuSet& set, ladder::HostCopies& copies, int i, const Tile& tile, const Share& rows,
                   const float* from, cudaEvent_t after) const {
        const ladder::Part<const float> whole{from, tile.cols, tile.rows, tile.cols};
        copies.out(set.gpu(i), C_.block(tile.row + rows.begin, tile.col, rows.count, tile.cols),
                   whole.block(rows.begin, 0, rows.count, tile.cols), pageable_c_, set.gpu(i).stream(kOut), after);
    }

  private:
    // Some rows of the panel that begins at (row, col) of a matrix.
    static void load_part(GpuSet& set, ladder::HostCopies& copies, int i, float* to, const Panel& panel,
                          const Share& share, const ladder::Part<const float>& from, int row, int col, bool pageable) {
        if (share.count == 0 || panel.length == 0) return;
        const ladder::Part<float> whole{to, panel.length, panel.rows, panel.length};
        copies.in(set.gpu(i), whole.block(share.begin, 0, share.count, panel.length),
                  from.block(row + share.begin, col, share.count, panel.length), pageable, set.gpu(i).stream(kIn));
    }

    const ladder::Part<const float> A_, B_;
    const ladder::Part<float> C_;
    const bool pageable_a_, has_b_, pageable_b_, pageable_c_;
};

}  // namespace rung_multi_90
