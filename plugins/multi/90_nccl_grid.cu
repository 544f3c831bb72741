// All GPUs of the host as a grid: each byte of A and B crosses PCIe once, and goes on from GPU to GPU.
//
// Against 20: a tile of C lies on each GPU of a grid of 2 x 2, say. GPUs of a row of the grid need the same rows of a
// slab of A, those of a column the same columns of a slab of B: each loads its part of what they share, and NCCL's
// all-gather gives it to the others (common/multi/exchange.h: copy engines do it, since beside a persistent
// kernel no SM is free for NCCL's own). The first slab is short, and the last one is long and multiplied in chunks of
// rows, each of which is copied back while the next is computed (90_schedule.h). One thread enqueues for all GPUs.
// What lies in memory transposed is loaded as it lies, and shared by the rows that it has there. Of several hosts each
// has rows of A and C; rank 0 alone loads B, and the GPUs of the others receive it (common/multi/across.h).
//
// Limit: max(2 n^3 / (P F), 8 n^2 / B_in), and the first slab and the last chunk. With 57 TFLOP/s a GPU and 160 GB/s
// from the host into four, the arithmetic is the longer from n = 5700 on. With a beta C comes first, and nothing hides
// that.
//
// Source: SUMMA (van de Geijn, Watts), with C stationary; NCCL.
// build: least=75 as=90a
#include <algorithm>
#include <vector>

#include "../common/multi/export.h"
#include "../common/multi/gpu_set.h"
#include "../common/multi/settings.h"
#include "../common/multi/tiling.h"
#include "90_operands.h"
#include "90_pass_on.h"
#include "90_plan.h"
#include "90_schedule.h"
#include "90_tiles.h"
#include "product.h"

namespace rung_multi_90 {

using ladder::Gpu;
using ladder::GpuGrid;
using ladder::GpuSet;

class Call {
  public:
    // Of one product of solve_gemm on matrices of the host, without arrays and bias.
    Call(Kept& kept, const ladder::Settings& settings, const ladder::Hosts& hosts, const GpuGrid& grid,
         const solve_gemm_t& call)
        : set_(kept.set),
          schedules_(kept.schedules),
          grid_(grid),
          call_(call),
          operands_(call, hosts.rank == 0),
          copies_(set_.pinned_buffers(), settings.host_threads, [this](cudaEvent_t event) { set_.wait(event); }) {
        static const ladder::NcclFound& nccl = *new ladder::NcclFound(ladder::look_for_nccl());
        set_.set_timeout(settings.timeout_s > 0 ? settings.timeout_s : default_timeout(call, grid.count()));
        set_.join(hosts, grid, nccl);
        plan_ = make_plan(set_, settings, grid, call, operands_);
        const Elements elements(grid, plan_.tiling, operands_.transposed_a, operands_.transposed_b);
        set_.prepare(grid, nccl, elements.bytes());
        buffers_ = take_buffers(set_, grid.count(), elements);
    }

    void run() {
        const int64_t step_row = int64_t{plan_.tiling.rows} * grid_.rows,
                      step_col = int64_t{plan_.tiling.cols} * grid_.cols;
        for (int64_t row = 0; row < plan_.most_rows; row += step_row) {
            for (int64_t col = 0; col < call_.K; col += step_col) {
                tiles_ = tiles_of(grid_, int(row), int(col), int(std::min(step_row, call_.M - row)),
                                  int(std::min(step_col, call_.K - col)));
                compute_tiles(plan_.round(row, col, rounds_ == 0));
            }
        }
        finish(set_, grid_.count(), copies_);
    }

  private:
    Gpu& gpu(int i) { return set_.gpu(i); }
    cudaStream_t stream(int i, Streams which) { return gpu(i).stream(which); }
    cudaEvent_t event(int i, int which) { return gpu(i).event(which); }
    int chunk_event(int chunk) const { return kChunk + tile_buffer_ * kMostChunks + chunk; }
    float* c_of(int i) const { return buffers_[i].c[tile_buffer_]; }

    // Calls body(i) for each GPU, which is the current one then.
    template <class Body>
    void for_each_gpu(Body body) {
        for (int i = 0; i < grid_.count(); ++i) gpu(i).make_current(), body(i);
    }

    void compute_tiles(const Round& round) {
        schedule_ = schedules_.choose(Machine::assumed(), round, plan_.tiling.slab);
        tile_buffer_ = int(rounds_++ % kTileBuffers);
        if (call_.beta != 0) {
            for_each_gpu([&](int i) { load_tile(i); });
            copies_.stage();
        }
        int first = 0;
        for (const int terms : schedule_.slabs) {
            const int buffer = int(slabs_++ % kSlabBuffers);
            const Slab slab{grid_, tiles_, operands_.transposed_a, operands_.transposed_b, buffer, first, terms};
            for_each_gpu([&](int i) { load(i, slab); });
            copies_.stage();
            receive_b(set_, slab, buffers_);
            record_on_all(kLoaded + buffer, kIn);
            pass_on(set_, slab, buffers_);
            for_each_gpu([&](int i) { multiply_slab(i, slab); });
            first += terms;
        }
        copy_tiles_back();
    }

    // C as it was, where it is added to, when the tile before has left the buffer.
    void load_tile(int i) {
        if (rounds_ > kTileBuffers) ladder::order(stream(i, kIn), event(i, kCopied + tile_buffer_));
        operands_.load_tile(set_, copies_, i, tiles_[i], c_of(i));
    }

    // This GPU's parts of a slab, when nobody needs any more what was in the buffer before.
    void load(int i, const Slab& slab) {
        if (slabs_ > kSlabBuffers) {
            ladder::order(stream(i, kIn), event(i, kMultiplied + slab.buffer));
            for_each_peer(grid_, i,
                          [&](int peer, bool) { ladder::order(stream(i, kIn), event(peer, kGathered + slab.buffer)); });
        }
        operands_.load(set_, copies_, i, slab, buffers_[i]);
    }

    // Adds a slab to the tile, the last one in chunks of rows.
    void multiply_slab(int i, const Slab& slab) {
        const Tile& tile = tiles_[i];
        const cudaStream_t compute = stream(i, kCompute);
        ladder::order(compute, event(i, kGathered + slab.buffer));
        if (slab.first == 0 && rounds_ > kTileBuffers) ladder::order(compute, event(i, kCopied + tile_buffer_));
        const bool is_last = slab.first + slab.terms == call_.N;
        const Chunks chunks = is_last ? schedule_.chunks : Chunks{};
        for (int chunk = 0; chunk < chunks.count && !tile.is_empty(); ++chunk) {
            const Share rows = chunk_of(chunks, tile.rows, chunk);
            if (rows.count > 0) multi::enqueue_product(part_of_call(i, slab, rows));
            if (is_last) ladder::record(gpu(i), event(i, chunk_event(chunk)), compute);
        }
        ladder::record(gpu(i), event(i, kMultiplied + slab.buffer), compute);
    }

    solve_gemm_t part_of_call(int i, const Slab& slab, const Share& rows) {
        solve_gemm_t part = call_;  // its alpha and its accuracy are each part's
        const Tile& tile = tiles_[i];
        part.M = rows.count, part.N = slab.terms, part.K = tile.cols;
        part.lda = slab.a(i).length, part.ldb = slab.b(i).length, part.ldc = tile.cols;
        part.A = buffers_[i].a[slab.buffer] + rows.begin * (slab.transposed_a ? 1 : part.lda);
        part.B = buffers_[i].b[slab.buffer];
        part.C = c_of(i) + rows.begin * part.ldc;
        part.beta = slab.first == 0 ? call_.beta : 1.0f;
        part.stream = stream(i, kCompute);
        return part;
    }

    // Tiles in pageable memory are written by threads that wait for the GPUs: those of a round after all products of
    // the next one have been enqueued, so that the GPUs have work meanwhile, and those of the last one by finish().
    void copy_tiles_back() {
        copies_.drain();
        const int before = (tile_buffer_ + kTileBuffers - 1) % kTileBuffers;
        if (rounds_ > 1) record_on_all(kCopied + before, kOut);
        for (int chunk = 0; chunk < schedule_.chunks.count; ++chunk) {
            for (int i = 0; i < grid_.count(); ++i) {
                const Tile& tile = tiles_[i];
                const Share rows = chunk_of(schedule_.chunks, tile.rows, chunk);
                if (tile.is_empty() || rows.count == 0) continue;
                operands_.copy_back(set_, copies_, i, tile, rows, c_of(i), event(i, chunk_event(chunk)));
            }
        }
    }

    void record_on_all(int which, Streams on) {
        for_each_gpu([&](int i) { ladder::record(gpu(i), event(i, which), stream(i, on)); });
    }

    GpuSet& set_;
    Schedules& schedules_;
    const GpuGrid grid_;
    const solve_gemm_t call_;
    const Operands operands_;
    ladder::HostCopies copies_;
    Plan plan_;
    std::vector<Buffers> buffers_;
    std::vector<Tile> tiles_;
    Schedule schedule_;
    int64_t rounds_ = 0, slabs_ = 0;
    int tile_buffer_ = 0;
};

inline void multiply_on(const GpuGrid& grid, const solve_gemm_t& call) {
    ladder::Settings settings = ladder::read_settings();
    const ladder::Hosts hosts = ladder::read_hosts(settings);
    ladder::with_kept<Kept>([&](Kept& kept) { Call(kept, settings, hosts, grid, call).run(); });
}

inline void multiply(const solve_gemm_t& call) {
    ladder::Settings settings = ladder::read_settings();
    ladder::read_hosts(settings);
    multiply_on(ladder::grid_of(settings.gpus), call);
}

}  // namespace rung_multi_90

SOLVE_EXPORT_HOST_GEMM(rung_multi_90::multiply, .summary = "all GPUs: each byte crosses PCIe once, and goes on by NCCL",
                       .source = "SUMMA, NCCL")
