// The GPUs of a grid, with what connects them and the pinned buffers, kept from call to call.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "across.h"
#include "exchange.h"
#include "gpu.h"
#include "host_copies.h"
#include "host_threads.h"

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
    GpuSet() = default;
    ~GpuSet() {
        end(across_);
        clear();
        if (hangs_ && control_) abandoned().gpus.push_back(std::move(control_));
    }
    GpuSet(const GpuSet&) = delete;
    GpuSet& operator=(const GpuSet&) = delete;

    // Seconds that a GPU is given to end what it does after an error. A test of one that never ends asks for fewer.
    static double& patience() {
        static double seconds = 10;
        return seconds;
    }

    // How long wait() waits from now on.
    void set_timeout(double seconds) { timeout_s_ = seconds; }

    // Joins the other hosts, if there are several, and has not done so yet.
    void join(const Hosts& hosts, const GpuGrid& grid, const NcclFound& found) {
        if (!hosts.are_several() || (across_ && grid.rows == grid_.rows && grid.cols == grid_.cols)) return;
        end(across_);
        clear();
        if (!found.problem.empty()) give_up("several hosts need NCCL: %s", found.problem.c_str());
        first_ = hosts.first_gpu, grid_ = grid;
        control_ = std::make_unique<Gpu>(first_);
        const std::string shape = std::to_string(grid.rows) + " x " + std::to_string(grid.cols);
        across_ = std::make_unique<Across>(found.nccl, hosts, shape, grid.count(), timeout_s_);
    }

    // Null if this host is the only one.
    const Across* across() const { return across_.get(); }

    // The same numbers of each host, in their order.
    std::vector<int32_t> of_all_hosts(const std::vector<int32_t>& own) {
        if (!across_) return own;
        return across_->gather(*control_, own, control_->stream(0), control_->event(0),
                               [this](cudaEvent_t event) { wait(event); });
    }

    // So many GPUs, of each so many bytes, connected as chosen. Where the best way was not asked for and cannot be set
    // up, the next one is.
    void prepare(const GpuGrid& grid, const NcclFound& found, size_t bytes) {
        ExchangeChoice choice = choose_exchange(first_, grid.count(), found, zero_cta_failed_);
        try {
            set_up(grid, found.nccl, choice.exchange);
            reserve(bytes);
        } catch (const Failure&) {
            clear();
            if (choice.exchange != Exchange::zero_cta || choice.is_asked_for) throw;
            zero_cta_failed_ = true;
            choice = choose_exchange(first_, grid.count(), found, true);
            set_up(grid, found.nccl, choice.exchange);
            reserve(bytes);
        }
    }

    // The least that any of the first `count` GPUs has free, with what is kept; no more than `most` if that is not 0.
    size_t memory(int count, size_t most) {
        size_t least = SIZE_MAX;
        for (int i = 0; i < count; ++i) {
            least = std::min(least, i < int(gpus_.size()) ? gpus_[i]->memory(most) : Gpu(first_ + i).memory(most));
        }
        return least;
    }

    Exchange exchange() const { return exchange_; }
    const GpuGrid& grid() const { return grid_; }
    Gpu& gpu(int i) { return *gpus_[i]; }
    PinnedBuffers& pinned_buffers() { return pinned_buffers_; }
    const Communicators& communicators() const { return *communicators_; }

    // Waits for an event, or throws what a collective has met meanwhile, or that it has not come in time. Of several
    // threads that wait one at a time asks NCCL, which does not say that more may.
    void wait(cudaEvent_t event) const {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s_);
        cudaError_t error = cudaSuccess;
        while ((error = cudaEventQuery(event)) == cudaErrorNotReady) {
            if (const std::unique_lock alone(asking_, std::try_to_lock); alone) check();
            if (std::chrono::steady_clock::now() > end) {
                give_up("a copy, a product or a collective has not ended within %g s (SOLVE_TIMEOUT)", timeout_s_);
            }
            std::this_thread::yield();
        }
        must(error, "cudaEventQuery");
    }
    void check() const {
        if (communicators_) communicators_->check();
        if (across_) across_->check();
    }

  private:
    // Ends the communicators, if there are some; whether they have. To end one NCCL frees memory of its GPU, and so
    // waits for what that does: where it hangs, it is left to a thread.
    template <class Kind>
    bool end(std::unique_ptr<Kind>& communicators) {
        if (!communicators) return true;
        std::shared_ptr<Kind> last(std::move(communicators));
        const bool ended = ends_within(patience(), [own = std::move(last)]() mutable { own.reset(); });
        hangs_ |= !ended;
        return ended;
    }

    // What a GPU still works with after that time cannot be freed, which would wait for it: it is left to the process.
    void clear() {
        bool idle = end(communicators_);
        for (const auto& each : gpus_) idle = idle && each->becomes_idle(patience());
        if (!idle) {
            for (auto& each : gpus_) abandoned().gpus.push_back(std::move(each));
            abandoned().pinned_buffers.push_back(std::move(pinned_buffers_));
        }
        hangs_ |= !idle;
        gpus_.clear();
        pinned_buffers_.clear();
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
            gpus_.push_back(std::make_unique<Gpu>(first_ + i, source));
        }
        grid_ = grid, exchange_ = exchange;
        if (exchange == Exchange::peer) enable_peers(first_, grid.count());
        if (exchange == Exchange::zero_cta || exchange == Exchange::nccl) {
            communicators_ = std::make_unique<Communicators>(nccl, grid, first_, exchange == Exchange::zero_cta);
        }
    }

    void reserve(size_t bytes) {
        const bool enough = gpus_[0]->suits(bytes);  // on all GPUs alike
        if (!enough && communicators_) communicators_->unregister_memory();
        for (const auto& each : gpus_) each->reserve(bytes);
        if (!enough && communicators_) communicators_->register_memory(gpus_);
    }

    // What is never freed: one call of a process is worked on at a time.
    struct Abandoned {
        std::vector<std::unique_ptr<Gpu>> gpus;
        std::vector<PinnedBuffers> pinned_buffers;
    };
    static Abandoned& abandoned() {
        static Abandoned* const only = new Abandoned;
        return *only;
    }

    double timeout_s_ = 600;
    mutable std::mutex asking_;
    bool zero_cta_failed_ = false, hangs_ = false;
    int first_ = 0;  // of the GPUs
    GpuGrid grid_{};
    Exchange exchange_ = Exchange::none;
    PinnedBuffers pinned_buffers_;
    std::vector<std::unique_ptr<Gpu>> gpus_;
    std::unique_ptr<Communicators> communicators_;
    std::unique_ptr<Gpu> control_;  // a stream of the first GPU's, for what hosts say to each other
    std::unique_ptr<Across> across_;
};

}  // namespace ladder
