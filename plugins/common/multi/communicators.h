// NCCL's communicators of a grid of GPUs: one for each row of the grid, and one for each column.
//
// One thread calls for all GPUs, within groups.
#pragma once

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gpu.h"
#include "nccl.h"

namespace ladder {

// The GPUs as rows of a grid: GPU number row * cols + col.
struct GpuGrid {
    int rows = 1, cols = 1;
    int count() const { return rows * cols; }
    bool operator==(const GpuGrid&) const = default;
};

class Communicators {
  public:
    enum Axis { along_row, along_column };

    // Of the GPUs from number `first` on.
    Communicators(const Nccl& nccl, const GpuGrid& grid, int first, bool zero_cta)
        : nccl_(nccl), grid_(grid), first_(first), zero_cta_(zero_cta), members_(grid.count()) {
        const NoMulticast while_they_are_made;
        try {
            for (int row = 0; row < grid.rows && grid.cols > 1; ++row) make(along_row, row);
            for (int col = 0; col < grid.cols && grid.rows > 1; ++col) make(along_column, col);
        } catch (...) {
            abort();
            throw;
        }
    }
    ~Communicators() { abort(); }
    Communicators(const Communicators&) = delete;
    Communicators& operator=(const Communicators&) = delete;

    const GpuGrid& grid() const { return grid_; }
    bool zero_cta() const { return zero_cta_; }

    // Makes the GPUs' memory known to NCCL: the same number of bytes of each. What was known before is not any more.
    // Each GPU has a thread here, since a registration waits for the other ranks.
    void register_memory(const std::vector<std::unique_ptr<Gpu>>& gpus) {
        unregister_memory();
        if (!zero_cta_) return;
        std::vector<std::string> errors(gpus.size());
        std::vector<std::thread> threads;
        for (size_t i = 0; i < gpus.size(); ++i) {
            threads.emplace_back([&, i] {
                for (Member& each : members_[i]) {
                    try {
                        if (each.communicator) make_window(each, *gpus[i]);
                    } catch (const std::exception& error) {
                        errors[i] = error.what();  // the ranks of the next communicator wait for this one all the same
                    }
                }
            });
        }
        for (std::thread& each : threads) each.join();
        for (const std::string& each : errors) {
            if (!each.empty()) throw Failure(each);
        }
    }

    void unregister_memory() {
        for (auto& of_gpu : members_) {
            for (Member& each : of_gpu) {
                if (each.window) nccl_.CommWindowDeregister(each.communicator, each.window);
                each.window = nullptr;
            }
        }
    }

    // The collectives of body() are one group.
    template <class Body>
    void group(Body body) const {
        nccl_.group("ncclGroupEnd", body);
    }

    // Part `rank` of the buffer, which has one part of `count` elements for each GPU of the row or column, goes from
    // this GPU to the others.
    void all_gather(Axis axis, int gpu, float* buffer, size_t count, cudaStream_t stream) const {
        const Member& member = members_[gpu][axis];
        const int rank = axis == along_row ? gpu % grid_.cols : gpu / grid_.cols;
        nccl_.must(nccl_.AllGather(buffer + rank * count, buffer, count, ncclFloat, member.communicator, stream),
                   "ncclAllGather");
    }

    // Throws what a communicator has met since.
    void check() const {
        for (const auto& of_gpu : members_) {
            for (const Member& each : of_gpu) {
                ncclResult_t error = ncclSuccess;
                if (!each.communicator) continue;
                nccl_.must(nccl_.CommGetAsyncError(each.communicator, &error), "ncclCommGetAsyncError");
                if (error != ncclInProgress) nccl_.must(error, "a collective");
            }
        }
    }

    // Ends all that is in flight. Nothing else may be called then.
    void abort() {
        std::vector<ncclComm_t> all;
        for (auto& of_gpu : members_) {
            for (Member& each : of_gpu) all.push_back(std::exchange(each, {}).communicator);
        }
        nccl_.abort(all);
    }

  private:
    struct Member {
        ncclComm_t communicator = nullptr;
        ncclWindow_t window = nullptr;
    };

    int gpu_of(Axis axis, int line, int rank) const {
        return axis == along_row ? line * grid_.cols + rank : rank * grid_.cols + line;
    }

    void make(Axis axis, int line) {
        const int ranks = axis == along_row ? grid_.cols : grid_.rows;
        ncclUniqueId id;
        nccl_.must(nccl_.GetUniqueId(&id), "ncclGetUniqueId");
        nccl_.group("ncclCommInitRank", [&] {
            for (int rank = 0; rank < ranks; ++rank) {
                const int gpu = gpu_of(axis, line, rank);
                must(cudaSetDevice(first_ + gpu), "cudaSetDevice");
                ncclConfig_t configuration = make_configuration();
                ncclComm_t& made = members_[gpu][axis].communicator;
                nccl_.must(zero_cta_ ? nccl_.CommInitRankConfig(&made, ranks, id, rank, &configuration)
                                     : nccl_.CommInitRank(&made, ranks, id, rank),
                           "ncclCommInitRank");
            }
        });
    }

    void make_window(Member& member, const Gpu& gpu) const {
        gpu.make_current();
        nccl_.must(nccl_.CommWindowRegister(member.communicator, gpu.memory_begin(), gpu.memory_bytes(), &member.window,
                                            NCCL_WIN_COLL_SYMMETRIC),
                   "ncclCommWindowRegister");
        // No error, and no window: the ranks do not reach each other's memory, and NCCL would take SMs.
        if (!member.window) give_up("NCCL %d makes no window of this memory", nccl_.version);
    }

    static ncclConfig_t make_configuration() {
        constexpr int kUnset = NCCL_CONFIG_UNDEF_INT;
        return {sizeof(ncclConfig_t),
                NCCL_API_MAGIC,
                22800,
                kUnset,
                kUnset,
                kUnset,
                kUnset,
                nullptr,
                kUnset,
                kUnset,
                nullptr,
                kUnset,
                NCCL_CTA_POLICY_ZERO,
                kUnset,
                kUnset,
                kUnset,
                kUnset};
    }

    const Nccl& nccl_;
    const GpuGrid grid_;
    const int first_;
    const bool zero_cta_;
    struct Members {
        Member of[2];
        Member& operator[](Axis axis) { return of[axis]; }
        const Member& operator[](Axis axis) const { return of[axis]; }
        Member* begin() { return of; }
        Member* end() { return of + 2; }
        const Member* begin() const { return of; }
        const Member* end() const { return of + 2; }
    };
    std::vector<Members> members_;
};

}  // namespace ladder
