// What connects the GPUs of several hosts: a communicator for the GPUs that have the same number on all hosts, in which
// a host is a rank. One of NCCL's ordinary ones: no copy engine reaches another host.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "gpu.h"
#include "nccl.h"
#include "rendezvous.h"

namespace ladder {

class Across {
  public:
    // Meets the others, which have as many GPUs in a grid of the same shape. Throws a Failure, on all of them, where
    // they do not or do not come in time.
    Across(const Nccl& nccl, const Hosts& hosts, const std::string& grid, int gpus, double seconds)
        : nccl_(nccl), hosts_(hosts), communicators_(gpus) {
        std::vector<ncclUniqueId> ids(gpus);
        for (ncclUniqueId& each : ids) {
            if (hosts.rank == 0) nccl.must(nccl.GetUniqueId(&each), "ncclGetUniqueId");
        }
        const size_t bytes = ids.size() * sizeof(ids[0]);
        const std::string own = "a grid of " + grid + " GPUs, of " + std::to_string(hosts.world) + " hosts";
        const std::string met = meet(hosts, own, std::string(reinterpret_cast<char*>(ids.data()), bytes), seconds);
        if (met.size() != bytes) give_up("what rank 0 has sent is no list of %d communicators", gpus);
        std::memcpy(ids.data(), met.data(), bytes);
        const NoMulticast while_they_are_made;
        try {
            nccl.group("ncclCommInitRank, of several hosts", [&] {
                for (int gpu = 0; gpu < gpus; ++gpu) {
                    must(cudaSetDevice(hosts.first_gpu + gpu), "cudaSetDevice");
                    nccl.must(nccl.CommInitRank(&communicators_[gpu], hosts.world, ids[gpu], hosts.rank),
                              "ncclCommInitRank, of several hosts");
                }
            });
        } catch (...) {
            abort();
            throw;
        }
    }
    ~Across() { abort(); }
    Across(const Across&) = delete;
    Across& operator=(const Across&) = delete;

    // Rank 0's elements go to the same place on the others. Within a group.
    void broadcast(int gpu, float* elements, size_t count, cudaStream_t stream) const {
        nccl_.must(nccl_.Broadcast(elements, elements, count, ncclFloat, 0, communicators_[gpu], stream),
                   "ncclBroadcast");
    }
    template <class Body>
    void group(Body body) const {
        nccl_.group("ncclGroupEnd", body);
    }

    // The numbers of each host, of which all have as many, by a GPU that nothing else is taken from. wait(event)
    // returns when it has come, or throws.
    template <class Wait>
    std::vector<int32_t> gather(Gpu& gpu, const std::vector<int32_t>& own, cudaStream_t stream, cudaEvent_t event,
                                Wait wait) const {
        static_assert(sizeof(int32_t) == sizeof(float));
        const size_t count = own.size();
        std::vector<int32_t> all(count * hosts_.world);
        gpu.reserve(aligned_bytes(all.size()));
        auto* const numbers = reinterpret_cast<int32_t*>(gpu.take(all.size()));
        int32_t* const part = numbers + hosts_.rank * count;
        must(cudaMemcpyAsync(part, own.data(), count * sizeof(int32_t), cudaMemcpyHostToDevice, stream),
             "cudaMemcpyAsync");
        group([&] {
            nccl_.must(nccl_.AllGather(part, numbers, count, ncclFloat, communicators_[0], stream), "ncclAllGather");
        });
        record(gpu, event, stream);
        wait(event);
        must(cudaMemcpyAsync(all.data(), numbers, all.size() * sizeof(int32_t), cudaMemcpyDeviceToHost, stream),
             "cudaMemcpyAsync");
        record(gpu, event, stream);
        wait(event);
        return all;
    }

    // Throws what a communicator has met since.
    void check() const {
        for (ncclComm_t each : communicators_) {
            ncclResult_t error = ncclSuccess;
            nccl_.must(nccl_.CommGetAsyncError(each, &error), "ncclCommGetAsyncError");
            if (error != ncclInProgress) nccl_.must(error, "a collective of several hosts");
        }
    }

  private:
    // Ends all that is in flight, here and so on the other hosts.
    void abort() { nccl_.abort(std::exchange(communicators_, {})); }

    const Nccl& nccl_;
    const Hosts hosts_;
    std::vector<ncclComm_t> communicators_;
};

}  // namespace ladder
