// The GPUs as 05 has them: each a rank of cuBLASMp's grid, with a thread for each where all have to call.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "../common/multi/communicators.h"
#include "../common/multi/cublasmp.h"
#include "../common/multi/gpu.h"
#include "../common/multi/host_threads.h"
#include "../common/multi/nccl.h"
#include "05_block_cyclic.h"

namespace rung_multi_05 {

using ladder::CublasMp;

// cuBLASMp comes first: it brings the NCCL that it needs, which the loader then gives for that name.
struct Libraries {
    const ladder::CublasMpFound cublasmp = ladder::look_for_cublasmp();
    const ladder::NcclFound nccl = cublasmp.problem.empty() ? ladder::look_for_nccl() : ladder::NcclFound();

    static const Libraries& get() {
        static const Libraries& only = *new Libraries;
        for (const std::string* problem : {&only.cublasmp.problem, &only.nccl.problem}) {
            if (!problem->empty()) throw ladder::Unsupported(*problem);
        }
        return only;
    }
};

// Calls body(i) for each of so many GPUs, each on a thread of its own, since they wait for one another.
template <class Body>
void on_each(int gpus, Body body) {
    std::vector<std::string> errors(gpus);
    ladder::HostThreads::all().for_each(gpus, gpus, [&](size_t i) {
        try {
            body(int(i));
        } catch (const std::exception& error) {
            errors[i] = error.what();
        }
    });
    for (const std::string& each : errors) {
        if (!each.empty()) throw ladder::Failure(each);
    }
}

// What cuBLASMp is told of a matrix, which to it is the transposed one.
class Descriptor {
  public:
    Descriptor(const CublasMp& mp, cublasMpGrid_t grid, const BlockCyclic& matrix, int gpu) : mp_(mp) {
        mp.must(mp.MatrixDescriptorCreate(matrix.host.cols, matrix.host.rows, matrix.block, matrix.block, 0, 0,
                                          std::max(1, matrix.cols_of(gpu)), CUDA_R_32F, grid, &made_),
                "cublasMpMatrixDescriptorCreate");
    }
    ~Descriptor() { mp_.MatrixDescriptorDestroy(made_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    cublasMpMatrixDescriptor_t get() const { return made_; }

  private:
    const CublasMp& mp_;
    cublasMpMatrixDescriptor_t made_ = nullptr;
};

// Kept from call to call. Neither cuBLASMp nor NCCL gives up on a call that hangs, and this does not either.
class Ranks {
  public:
    struct Rank {
        explicit Rank(int number) : gpu(number), workspace(number) {}
        ladder::Gpu gpu, workspace;  // two memories of one GPU: how much workspace is needed turns out last
        cublasMpHandle_t handle = nullptr;
        cublasMpGrid_t grid = nullptr;
        ncclComm_t communicator = nullptr;
    };

    Ranks() = default;
    ~Ranks() { end(); }
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    const CublasMp& mp() const { return Libraries::get().cublasmp.library; }
    const ladder::GpuGrid& grid() const { return grid_; }
    Rank& operator[](int i) { return ranks_[i]; }

    // cuBLASMp's matrices lie by columns: to it our matrices are transposed, and so is our grid.
    void use(const ladder::GpuGrid& grid) {
        if (!ranks_.empty() && grid.rows == grid_.rows && grid.cols == grid_.cols) return;
        end();
        grid_ = grid;
        for (int i = 0; i < grid.count(); ++i) ranks_.emplace_back(i);
        const ladder::NoMulticast while_they_are_made;
        make_communicators(Libraries::get().nccl.nccl);
        for_each([&](int i) { mp().must(mp().Create(&ranks_[i].handle, ranks_[i].gpu.stream(0)), "cublasMpCreate"); });
        for_each([&](int i) {
            Rank& rank = ranks_[i];
            mp().must(
                mp().GridCreate(grid.cols, grid.rows, CUBLASMP_GRID_LAYOUT_COL_MAJOR, rank.communicator, &rank.grid),
                "cublasMpGridCreate");
        });
    }

    // Calls body(i) for each, whose GPU is the current one then, on threads that wait for one another.
    template <class Body>
    void for_each(Body body) {
        on_each(grid_.count(), [&](int i) {
            ranks_[i].gpu.make_current();
            body(i);
        });
    }

  private:
    void make_communicators(const ladder::Nccl& nccl) {
        ncclUniqueId id;
        nccl.must(nccl.GetUniqueId(&id), "ncclGetUniqueId");
        nccl.group("ncclCommInitRank", [&] {
            for (int i = 0; i < grid_.count(); ++i) {
                ranks_[i].gpu.make_current();
                nccl.must(nccl.CommInitRank(&ranks_[i].communicator, grid_.count(), id, i), "ncclCommInitRank");
            }
        });
    }

    void end() {
        std::vector<ncclComm_t> communicators;
        for (const Rank& each : ranks_) communicators.push_back(each.communicator);
        on_each(int(ranks_.size()), [&](int i) {
            Rank& rank = ranks_[i];
            cudaSetDevice(rank.gpu.number());
            if (rank.grid) mp().GridDestroy(rank.grid);
            if (rank.handle) mp().Destroy(rank.handle);
        });
        if (!ranks_.empty()) Libraries::get().nccl.nccl.abort(communicators);
        ranks_.clear();
    }

    ladder::GpuGrid grid_{};
    std::deque<Rank> ranks_;
};

}  // namespace rung_multi_05
