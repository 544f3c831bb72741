// cuBLASMp, NVIDIA's library for matrices that lie on several GPUs, where it is installed: a second baseline.
//
// Against 00: A, B and C are distributed block-cyclically to a grid of GPUs, in square blocks, as ScaLAPACK has them,
// and one call multiplies them where they lie. From and to host memory that is three steps, none of which hides
// another: all blocks to the GPUs, the product, all of C back. What this is here for is the second one by itself: what
// the vendor's library takes when the matrices are on the GPUs already. SOLVE_PHASES=1 prints how long each step of a
// call took. No matrix stays on the GPUs for the next call: equal pointers do not say that the numbers there are the
// same.
//
// Limit: PCIe, for what comes before and after the product; for that NCCL's kernels, which take SMs from it while they
// pass blocks on. A GPU has to hold its share of A, B and C, and the library's workspace.
//
// Source: cuBLASMp; SUMMA (van de Geijn, Watts); ScaLAPACK.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

#include "../common/multi/export.h"
#include "../common/multi/gpu_set.h"
#include "../common/multi/settings.h"
#include "05_block_cyclic.h"
#include "05_ranks.h"

namespace rung_multi_05 {

struct Operands {
    BlockCyclic A, B, C;
};

// What one rank says to cuBLASMp, which reads columns where we have rows: its matrices are ours transposed, and so C' =
// B' * A'.
class Product {
  public:
    Product(const CublasMp& mp, Ranks::Rank& rank, const Operands& operands, const solve_gemm_t& call)
        : mp_(mp),
          rank_(rank),
          operands_(operands),
          call_(call),
          a_(mp, rank.grid, operands.A, gpu()),
          b_(mp, rank.grid, operands.B, gpu()),
          c_(mp, rank.grid, operands.C, gpu()) {}

    void reserve_workspace() {
        size_t on_host = 0;
        mp_.must(with_product(mp_.Gemm_bufferSize, &on_gpu_, &on_host), "cublasMpGemm_bufferSize");
        on_host_.resize(on_host);
        rank_.workspace.reserve(std::max(on_gpu_, ladder::kAlignment));
    }
    void run() {
        mp_.must(with_product(mp_.Gemm, rank_.workspace.memory_begin(), on_gpu_, on_host_.data(), on_host_.size()),
                 "cublasMpGemm");
        ladder::must(cudaStreamSynchronize(rank_.gpu.stream(0)), "cudaStreamSynchronize");
    }

  private:
    int gpu() const { return rank_.gpu.number(); }

    template <class Function, class... Rest>
    cublasMpStatus_t with_product(Function function, Rest... rest) {
        const auto form = [](uint32_t transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
        return function(rank_.handle, form(call_.transpose_b), form(call_.transpose_a), call_.K, call_.M, call_.N,
                        &call_.alpha, operands_.B.on_gpu[gpu()], 1, 1, b_.get(), operands_.A.on_gpu[gpu()], 1, 1,
                        a_.get(), &call_.beta, operands_.C.on_gpu[gpu()], 1, 1, c_.get(), CUBLAS_COMPUTE_32F, rest...);
    }

    const CublasMp& mp_;
    Ranks::Rank& rank_;
    const Operands& operands_;
    const solve_gemm_t& call_;
    const Descriptor a_, b_, c_;
    size_t on_gpu_ = 0;
    std::vector<char> on_host_;
};

// What is kept from call to call. The GPUs go first: then nothing uses the buffers any more.
struct Kept {
    ladder::PinnedBuffers pinned_buffers;
    Ranks ranks;
};

class Call {
  public:
    Call(Kept& kept, const ladder::Settings& settings, const GpuGrid& grid, int block, const solve_gemm_t& call)
        : ranks_(kept.ranks),
          copies_(kept.pinned_buffers, settings.host_threads,
                  [](cudaEvent_t event) { ladder::must(cudaEventSynchronize(event), "cudaEventSynchronize"); }),
          call_(call),
          operands_{{lying(call.A, call.lda, call.transpose_a, call.M, call.N), grid, block},
                    {lying(call.B, call.ldb, call.transpose_b, call.N, call.K), grid, block},
                    {lying(call.C, call.ldc, SOLVE_N, call.M, call.K), grid, block}} {
        ranks_.use(grid);
        for (int i = 0; i < grid.count(); ++i) {
            take_memory(i, settings.device_memory);
            products_.emplace_back(ranks_.mp(), ranks_[i], operands_, call_);
        }
        ranks_.for_each([&](int i) { products_[i].reserve_workspace(); });
    }

    void run() {
        const auto begin = Clock::now();
        to_gpus(operands_.A), to_gpus(operands_.B);
        if (call_.beta != 0) to_gpus(operands_.C);
        copies_.stage();
        wait();
        const auto distributed = Clock::now();
        ranks_.for_each([&](int i) { products_[i].run(); });
        const auto multiplied = Clock::now();
        from_gpus(operands_.C);
        copies_.drain();
        wait();
        if (std::getenv("SOLVE_PHASES"))
            print(distributed - begin, multiplied - distributed, Clock::now() - multiplied);
    }

  private:
    using Clock = std::chrono::steady_clock;

    void take_memory(int i, size_t most) {
        ladder::Gpu& gpu = ranks_[i].gpu;
        BlockCyclic* const all[] = {&operands_.A, &operands_.B, &operands_.C};
        size_t bytes = ladder::kAlignment;
        for (const BlockCyclic* each : all) bytes += ladder::aligned_bytes(each->elements(i));
        if (const size_t memory = gpu.memory(most); bytes > memory) {
            ladder::give_up("GPU %d: its share of A, B and C is %zu bytes, and %zu are there: 90_nccl_grid needs fewer",
                            i, bytes, memory);
        }
        gpu.reserve(bytes);
        for (BlockCyclic* each : all) each->on_gpu.push_back(gpu.take(each->elements(i)));
    }

    void to_gpus(const BlockCyclic& matrix) {
        const bool pageable = ladder::is_pageable(constant(matrix.host));
        for (int i = 0; i < matrix.grid.count(); ++i) {
            ladder::Gpu& gpu = ranks_[i].gpu;
            matrix.for_each_block(i, [&](const Part<float>& here, const Part<float>& there) {
                copies_.in(gpu, there, constant(here), pageable, gpu.stream(0));
            });
        }
    }

    void from_gpus(const BlockCyclic& matrix) {
        const bool pageable = ladder::is_pageable(constant(matrix.host));
        for (int i = 0; i < matrix.grid.count(); ++i) {
            ladder::Gpu& gpu = ranks_[i].gpu;
            ladder::record(gpu, gpu.event(0), gpu.stream(0));
            matrix.for_each_block(i, [&](const Part<float>& here, const Part<float>& there) {
                copies_.out(gpu, here, constant(there), pageable, gpu.stream(0), gpu.event(0));
            });
        }
    }

    void wait() {
        for (int i = 0; i < ranks_.grid().count(); ++i)
            ladder::must(cudaStreamSynchronize(ranks_[i].gpu.stream(0)), "cudaStreamSynchronize");
    }

    void print(Clock::duration in, Clock::duration product, Clock::duration out) const {
        const auto ms = [](Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); };
        std::fprintf(
            stderr,
            "cuBLASMp %s, %d x %d x %d on %d x %d GPUs, blocks of %d: to the GPUs %.2f ms, the product %.2f ms "
            "(%.1f TFLOP/s), back %.2f ms\n",
            ranks_.mp().version_text().c_str(), call_.M, call_.N, call_.K, ranks_.grid().rows, ranks_.grid().cols,
            operands_.C.block, ms(in), ms(product), 2e-9 * call_.M * call_.N * call_.K / ms(product), ms(out));
    }

    Ranks& ranks_;
    ladder::HostCopies copies_;
    const solve_gemm_t call_;
    Operands operands_;
    std::deque<Product> products_;
};

inline void multiply_on(const GpuGrid& grid, int block, const solve_gemm_t& call) {
    const ladder::Settings settings = ladder::read_settings();
    ladder::with_kept<Kept>([&](Kept& kept) { Call(kept, settings, grid, block, call).run(); });
}

inline void multiply(const solve_gemm_t& call) {
    Libraries::get();  // whether they are there is asked first
    ladder::Settings settings = ladder::read_settings();
    if (ladder::read_hosts(settings).are_several()) ladder::give_up("several hosts (SOLVE_RENDEZVOUS): 90_nccl_grid");
    const GpuGrid grid = ladder::grid_of(settings.gpus);
    multiply_on(grid, block_for(grid, call.M, call.N, call.K), call);
}

}  // namespace rung_multi_05

// No SOLVE_BASELINE_MARK: that names the one row that all others are raced against.
SOLVE_EXPORT_HOST_GEMM(rung_multi_05::multiply,
                       .summary = "cuBLASMp on all GPUs: distributed block-cyclically, and brought back",
                       .source = "cuBLASMp, SUMMA", .flags = SOLVE_FLAG_BASELINE)
