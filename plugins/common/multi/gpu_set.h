// The GPUs of a grid, with what connects them and the pinned buffers, kept from call to call.
#pragma once

#include <memory>
#include <vector>

#include "exchange.h"
#include "gpu.h"
#include "host_copies.h"

namespace ladder {

// The most square grid of so many GPUs, with as many columns as rows or more.
inline GpuGrid grid_of(int gpus) {
    int rows = 1;
    for (int each = 2; each * each <= gpus; ++each) {
        if (gpus % each == 0) rows = each;
    }
    return {rows, gpus / rows};
}

// Members are destroyed from the last one to the first: collectives are ended, then each GPU is waited for, and then
// nothing uses the pinned buffers any more.
class GpuSet {
  public:
    // So many GPUs, of each so many bytes, connected as chosen. Where the best way was not asked for and cannot be set
    // up, the next one is.
    void prepare(const GpuGrid& grid, const NcclFound& found, size_t bytes) {
        ExchangeChoice choice = choose_exchange(grid.count(), found, zero_cta_failed_);
        try {
            set_up(grid, found.nccl, choice.exchange);
            reserve(bytes);
        } catch (const Failure&) {
            clear();
            if (choice.exchange != Exchange::zero_cta || choice.is_asked_for) throw;
            zero_cta_failed_ = true;
            choice = choose_exchange(grid.count(), found, true);
            set_up(grid, found.nccl, choice.exchange);
            reserve(bytes);
        }
    }

    // The least that any of the first `count` GPUs has free, with what is kept; no more than `most` if that is not 0.
    size_t memory(int count, size_t most) {
        size_t least = SIZE_MAX;
        for (int i = 0; i < count; ++i) {
            least = std::min(least, i < int(gpus_.size()) ? gpus_[i]->memory(most) : Gpu(i).memory(most));
        }
        return least;
    }

    Exchange exchange() const { return exchange_; }
    const GpuGrid& grid() const { return grid_; }
    Gpu& gpu(int i) { return *gpus_[i]; }
    HostCopies::Rings& rings(int i) { return *rings_[i]; }
    const Communicators& communicators() const { return *communicators_; }

    // Waits for an event, or throws what a collective has met meanwhile.
    void wait(cudaEvent_t event) const {
        cudaError_t error = cudaSuccess;
        while ((error = cudaEventQuery(event)) == cudaErrorNotReady) {
            check();
            std::this_thread::yield();
        }
        must(error, "cudaEventQuery");
    }
    void check() const {
        if (communicators_) communicators_->check();
    }

  private:
    void clear() {
        communicators_.reset();
        gpus_.clear();
        rings_.clear();
    }

    void set_up(const GpuGrid& grid, const Nccl& nccl, Exchange exchange) {
        if (int(gpus_.size()) == grid.count() && grid.rows == grid_.rows && exchange == exchange_) return;
        clear();
        MemorySource source;
        if (exchange == Exchange::zero_cta) {
            source.allocate = [&nccl](size_t bytes) {
                void* memory = nullptr;
                nccl.must(nccl.MemAlloc(&memory, bytes), "ncclMemAlloc");
                return memory;
            };
            source.free = [&nccl](void* memory) { nccl.MemFree(memory); };
        }
        for (int i = 0; i < grid.count(); ++i) {
            gpus_.push_back(std::make_unique<Gpu>(i, source));
            rings_.push_back(std::make_unique<HostCopies::Rings>());
        }
        grid_ = grid, exchange_ = exchange;
        if (exchange == Exchange::peer) enable_peers(grid.count());
        if (exchange == Exchange::zero_cta || exchange == Exchange::nccl) {
            communicators_ = std::make_unique<Communicators>(nccl, grid, exchange == Exchange::zero_cta);
        }
    }

    void reserve(size_t bytes) {
        const bool enough = gpus_[0]->suits(bytes);  // on all GPUs alike
        if (!enough && communicators_) communicators_->unregister_memory();
        for (const auto& each : gpus_) each->reserve(bytes);
        if (!enough && communicators_) communicators_->register_memory(gpus_);
    }

    bool zero_cta_failed_ = false;
    GpuGrid grid_{};
    Exchange exchange_ = Exchange::none;
    std::vector<std::unique_ptr<HostCopies::Rings>> rings_;
    std::vector<std::unique_ptr<Gpu>> gpus_;
    std::unique_ptr<Communicators> communicators_;
};

}  // namespace ladder
