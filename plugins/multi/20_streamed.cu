// One GPU, for matrices of any size: a tile of C stays on it, and slabs of the contraction stream through.
//
// Against 10: no GPU needs a whole matrix, and copies overlap the computing. C is cut into tiles, and N into slabs; of
// a slab come the tile's rows of A and columns of B, into one of two buffers while the other one is multiplied. What
// has been added to a tile lies in GPU memory, as long as N lasts; then it goes back while the next tile is computed in
// the other of two buffers. Pageable memory goes through small pinned buffers, which threads fill and empty.
//
// Limit: PCIe where the matrices are small. A product of n^3 on a GPU of 57 TFLOP/s with 55 GB/s in takes as long to
// load, 8 n^2 bytes, as to compute at n = 4200; above it all copies but the first slab and the last tile are hidden.
// With tiles of t x t it loads 8 n^3 / t bytes, so t, too, has to be 4200 or more: 0.6 GB of GPU memory are enough.
//
// Source: cublasXt and BLASX stream tiles; that C stays is Goto's choice, and that of every blocked product.
// build: least=75 as=90a
#include <algorithm>

#include "../common/multi/export.h"
#include "../common/multi/gpu.h"
#include "../common/multi/host_copies.h"
#include "../common/multi/settings.h"
#include "../common/multi/tiling.h"
#include "product.h"

namespace rung_multi_20 {

using ladder::Gpu;

constexpr int kMostSlab = 4096;  // rows of A's slab are 16 KB then, whose 2D copies reach PCIe's full rate
constexpr int kBuffers = 2;      // of each kind

enum Streams { kIn, kCompute, kOut };
enum Events {
    kLoaded = 0,
    kMultiplied = kLoaded + kBuffers,
    kComputed = kMultiplied + kBuffers,
    kCopied = kComputed + kBuffers
};

inline size_t bytes_of(const ladder::Tiling& tiling) {
    return kBuffers * (ladder::aligned_bytes(size_t(tiling.rows) * tiling.slab) +
                       ladder::aligned_bytes(size_t(tiling.slab) * tiling.cols) +
                       ladder::aligned_bytes(size_t(tiling.rows) * tiling.cols));
}

// What is kept from call to call. The GPU goes first: it waits until nothing is copied any more.
struct Kept {
    ladder::PinnedBuffers pinned_buffers;
    Gpu gpu{0};
};

class Call {
  public:
    Call(Kept& kept, const ladder::Settings& settings, const float* A, const float* B, float* C, int M, int N, int K)
        : gpu_(kept.gpu),
          copies_(kept.pinned_buffers, settings.host_threads,
                  [](cudaEvent_t event) { ladder::must(cudaEventSynchronize(event), "cudaEventSynchronize"); }),
          A_{A, N, M, N},
          B_{B, K, N, K},
          C_{C, K, M, K},
          tiling_(ladder::choose_tiling(M, N, K, kMostSlab, gpu_.memory(settings.device_memory), bytes_of)),
          pageable_{ladder::is_pageable(A, size_t(M) * N), ladder::is_pageable(B, size_t(N) * K),
                    ladder::is_pageable(C, size_t(M) * K)} {
        gpu_.reserve(bytes_of(tiling_));
        for (int i = 0; i < kBuffers; ++i) {
            a_[i] = gpu_.take(size_t(tiling_.rows) * tiling_.slab);
            b_[i] = gpu_.take(size_t(tiling_.slab) * tiling_.cols);
            c_[i] = gpu_.take(size_t(tiling_.rows) * tiling_.cols);
        }
    }

    void run() {
        for (int64_t row = 0; row < C_.rows; row += tiling_.rows) {
            for (int64_t col = 0; col < C_.cols; col += tiling_.cols) {
                compute_tile(int(row), int(col), int(std::min<int64_t>(tiling_.rows, C_.rows - row)),
                             int(std::min<int64_t>(tiling_.cols, C_.cols - col)));
            }
        }
        copies_.drain();
        for (const Streams each : {kIn, kCompute, kOut}) {
            ladder::must(cudaStreamSynchronize(gpu_.stream(each)), "cudaStreamSynchronize");
        }
    }

  private:
    void compute_tile(int row, int col, int rows, int cols) {
        const int buffer = static_cast<int>(tiles_++ % kBuffers);
        const ladder::Part<float> c{c_[buffer], cols, rows, cols};
        if (tiles_ > kBuffers) ladder::order(gpu_.stream(kCompute), gpu_.event(kCopied + buffer));
        int first = 0;
        for (const int terms : ladder::slabs_of(A_.cols, tiling_.slab)) {
            add_slab(c, row, col, first, terms);
            first += terms;
        }
        ladder::record(gpu_, gpu_.event(kComputed + buffer), gpu_.stream(kCompute));
        // Into pageable memory the tile before goes while this one is computed.
        copies_.drain();
        if (tiles_ > 1) ladder::record(gpu_, gpu_.event(kCopied + (buffer + 1) % kBuffers), gpu_.stream(kOut));
        copies_.out(gpu_, C_.block(row, col, rows, cols), {c.data, c.ld, rows, cols}, pageable_[2], gpu_.stream(kOut),
                    gpu_.event(kComputed + buffer));
    }

    // C += the product of `terms` columns of A, from `first` on, and as many rows of B.
    void add_slab(const ladder::Part<float>& c, int row, int col, int first, int terms) {
        const int buffer = static_cast<int>(slabs_++ % kBuffers);
        const ladder::Part<float> a{a_[buffer], terms, c.rows, terms}, b{b_[buffer], c.cols, terms, c.cols};
        if (slabs_ > kBuffers) ladder::order(gpu_.stream(kIn), gpu_.event(kMultiplied + buffer));
        copies_.in(gpu_, a, A_.block(row, first, c.rows, terms), pageable_[0], gpu_.stream(kIn));
        copies_.in(gpu_, b, B_.block(first, col, terms, c.cols), pageable_[1], gpu_.stream(kIn));
        copies_.stage();
        ladder::record(gpu_, gpu_.event(kLoaded + buffer), gpu_.stream(kIn));
        ladder::order(gpu_.stream(kCompute), gpu_.event(kLoaded + buffer));
        multi::enqueue_product({a.data, a.ld, b.data, b.ld, c.data, c.ld, c.rows, terms, c.cols, 1.0f,
                                first == 0 ? 0.0f : 1.0f, gpu_.stream(kCompute)});
        ladder::record(gpu_, gpu_.event(kMultiplied + buffer), gpu_.stream(kCompute));
    }

    Gpu& gpu_;
    ladder::HostCopies copies_;
    const ladder::Part<const float> A_, B_;
    const ladder::Part<float> C_;
    const ladder::Tiling tiling_;
    const bool pageable_[3];
    float *a_[kBuffers], *b_[kBuffers], *c_[kBuffers];
    int64_t tiles_ = 0, slabs_ = 0;
};

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const ladder::Settings settings = ladder::read_settings();
    ladder::with_kept<Kept>([&](Kept& kept) { Call(kept, settings, A, B, C, M, N, K).run(); });
}

}  // namespace rung_multi_20

SOLVE_EXPORT_HOST(rung_multi_20::multiply, .summary = "one GPU, any size: a tile of C stays, slabs of N stream through",
                  .source = "cublasXt, BLASX (streamed tiles)")
