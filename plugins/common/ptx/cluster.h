// Blocks that are launched side by side, read each other's shared memory (distributed shared memory) and have a barrier
// of their own: thread block clusters, on GPUs of compute capability 9.0 and later.
//
// In the emulator a block waits for the others of its cluster in a loop, and one such launch runs at a time.
#pragma once

#ifdef SOLVE_EMULATOR
#include <algorithm>
#include <iterator>
#include <mutex>
#endif

#include "../export/allow_shared.h"
#include "early_launch.h"
#include "mbarrier.h"

namespace ladder {

constexpr int kMostOfCluster = 8;        // blocks, on every GPU that has clusters
constexpr int kMostOfLargeCluster = 16;  // on Hopper's and Blackwell's data-centre GPUs, if the kernel is allowed to

// The most blocks that a cluster can have on a GPU of that compute capability, times 10.
inline int largest_cluster(int capability) {
    if (capability < 90) return 1;
    return capability == 90 || capability / 10 == 10 ? kMostOfLargeCluster : kMostOfCluster;
}

// The cluster of this block, along x. `shared` is the block's dynamic shared memory.
class Cluster {
  public:
    __device__ __forceinline__ Cluster(char* shared, int size) : shared_(shared), size_(size) {}

    // Of the block in the cluster, and of the cluster in the grid.
    __device__ __forceinline__ int rank() const;
    __device__ __forceinline__ int number() const;

    // Waits until every thread of every block of the cluster has come here, which then see what the others wrote. No
    // block may end while another may still read its memory.
    __device__ __forceinline__ void sync();

    // Once, by the thread that made the barriers, before it begins: the other blocks' threads must see them too. On
    // sm_90 it is a fence for all of the GPU.
    __device__ __forceinline__ void show_barriers() const;

    // The two halves of a sync() after which all blocks exist, and see each other's barriers, but nothing else that was
    // written before. Each thread calls each of them once, all of a warp together. What a thread has read before it
    // begins, and used, others may write over behind wait_for_begun().
    __device__ __forceinline__ void begin();
    __device__ __forceinline__ void wait_for_begun();

    // Sends four floats to the same place in the block of that rank (st.async), or its own, where their 16 bytes are
    // for the barrier at the same place; it takes no fence and no sync(), which waits 0.3 us for one. One thread of
    // each block announces how many bytes are to come before it begins. All threads are to wait for phase 0, and then
    // see what was sent.
    __device__ __forceinline__ void send4(float* own, const float (&four)[4], int rank, Mbarrier& barrier) const;
    __device__ __forceinline__ void announce(Mbarrier& barrier, unsigned bytes) const;
    __device__ __forceinline__ void wait_for_sent(Mbarrier& barrier);

    // The same by some of the threads, once the block was sent so many bytes in all, those of earlier waits included.
    __device__ __forceinline__ void wait_for_sent(Mbarrier& barrier, unsigned bytes);

    // What lies there in the shared memory of the block of that rank, whose sync() has been passed.
    template <class T>
    __device__ __forceinline__ const T* of_rank(const T* own, int rank) const;

  private:
    char* const shared_;
    const int size_;
#ifdef SOLVE_EMULATOR
    int begun_ = 0;  // times that this thread has
#endif
};

#ifdef SOLVE_EMULATOR

struct ClusterMeeting {
    unsigned arrivals = 0, passed = 0;        // blocks at the barrier, and barriers
    unsigned sent[kMostOfLargeCluster] = {};  // bytes, to each block
    char* shared[kMostOfLargeCluster] = {};
};
inline ClusterMeeting cluster_meetings[1024];  // of the launch that runs, by the number of the cluster

__device__ inline void Cluster::sync() {
    __syncthreads();
    if (threadIdx.x == 0) {
        ClusterMeeting& meeting = cluster_meetings[number()];
        meeting.shared[rank()] = shared_;
        __threadfence();
        const unsigned before = atomicAdd(&meeting.passed, 0u);
        if (atomicAdd(&meeting.arrivals, 1u) + 1 == unsigned(size_)) {
            atomicExch(&meeting.arrivals, 0u);
            atomicAdd(&meeting.passed, 1u);
        }
        while (atomicAdd(&meeting.passed, 0u) == before) {
        }
    }
    __syncthreads();
}

__device__ inline int Cluster::rank() const {
    return static_cast<int>(blockIdx.x) % size_;
}

__device__ inline int Cluster::number() const {
    return static_cast<int>(blockIdx.x) / size_;
}

__device__ inline void Cluster::show_barriers() const {}

__device__ inline void Cluster::begin() {
    ++begun_;
}

// A cluster of one block may come from an ordinary launch, beside which others run.
__device__ inline void Cluster::wait_for_begun() {
    if (begun_ != 1) __builtin_trap();  // on a GPU the blocks would wait for ever
    size_ > 1 ? sync() : __syncthreads();
}

__device__ inline void Cluster::send4(float* own, const float (&four)[4], int rank, Mbarrier&) const {
    std::copy_n(four, 4, rank == this->rank() ? own : const_cast<float*>(of_rank(own, rank)));
    __threadfence();
    atomicAdd(&cluster_meetings[number()].sent[rank], unsigned{sizeof(four)});
}

__device__ inline void Cluster::announce(Mbarrier&, unsigned) const {}

__device__ inline void Cluster::wait_for_sent(Mbarrier&) {
    sync();
}

__device__ inline void Cluster::wait_for_sent(Mbarrier&, unsigned bytes) {
    while (atomicAdd(&cluster_meetings[number()].sent[rank()], 0u) < bytes) {
    }
}

template <class T>
__device__ inline const T* Cluster::of_rank(const T* own, int rank) const {
    const auto offset = reinterpret_cast<const char*>(own) - shared_;
    return reinterpret_cast<const T*>(cluster_meetings[number()].shared[rank] + offset);
}

#else

__device__ __forceinline__ void Cluster::sync() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ int Cluster::rank() const {
    int rank = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    if (size_ > 1) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}

__device__ __forceinline__ int Cluster::number() const {
    int number = blockIdx.x;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    if (size_ > 1) asm("mov.u32 %0, %%clusterid.x;" : "=r"(number));  // else it may be no launch of clusters
#endif
    return number;
}

__device__ __forceinline__ void Cluster::show_barriers() const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

__device__ __forceinline__ void Cluster::begin() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ void Cluster::wait_for_begun() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ void Cluster::send4(float* own, const float (&four)[4], int rank, Mbarrier& barrier) const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n\t"
        ".reg .b32 there, counting;\n\t"
        "mapa.shared::cluster.u32 there, %0, %2;\n\t"
        "mapa.shared::cluster.u32 counting, %1, %2;\n\t"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [there], {%3, %4, %5, %6}, [counting];\n\t"
        "}" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(own))),
        "r"(barrier.address()), "r"(rank), "f"(four[0]), "f"(four[1]), "f"(four[2]), "f"(four[3])
        : "memory");
#endif
}

__device__ __forceinline__ void Cluster::announce(Mbarrier& barrier, unsigned bytes) const {
    barrier.arrive_expecting(bytes);
}

__device__ __forceinline__ void Cluster::wait_for_sent(Mbarrier& barrier) {
    barrier.wait(0);
}

__device__ __forceinline__ void Cluster::wait_for_sent(Mbarrier& barrier, unsigned) {
    barrier.wait(0);
}

template <class T>
__device__ __forceinline__ const T* Cluster::of_rank(const T* own, int rank) const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    uint64_t there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(own), "r"(rank));
    return reinterpret_cast<const T*>(there);
#else
    return own;
#endif
}

#endif

// kernel<<<clusters * size, threads, shared, stream>>>(arguments...) in clusters of that many blocks, which calls
// wait_for_kernel_before(). For GPUs that have clusters. `together`: all blocks run at a time, or the launch fails.
template <class... Parameters, class... Arguments>
void launch_clusters_as(bool together, void (*kernel)(Parameters...), int clusters, int size, int threads,
                        size_t shared, cudaStream_t stream, Arguments... arguments) {
#ifndef SOLVE_EMULATOR
    cudaLaunchAttribute attributes[3]{};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = size;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    attributes[2].id = cudaLaunchAttributeCooperative;
    attributes[2].val.cooperative = 1;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(clusters * size);
    configuration.blockDim = dim3(threads);
    configuration.dynamicSmemBytes = shared;
    configuration.stream = stream;
    configuration.attrs = attributes;
    configuration.numAttrs = together ? 3 : 2;
    cudaLaunchKernelEx(&configuration, kernel, arguments...);
#else
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    if (clusters > int(std::size(cluster_meetings))) __builtin_trap();
    std::fill_n(cluster_meetings, clusters, ClusterMeeting{});
    kernel<<<clusters * size, threads, shared, stream>>>(arguments...);
#endif
}

template <class... Parameters, class... Arguments>
void launch_clusters(void (*kernel)(Parameters...), int clusters, int size, int threads, size_t shared,
                     cudaStream_t stream, Arguments... arguments) {
    launch_clusters_as(false, kernel, clusters, size, threads, shared, stream, arguments...);
}

// The same where all blocks must run at a time, since they wait for each other: a cooperative launch.
template <class... Parameters, class... Arguments>
void launch_clusters_together(void (*kernel)(Parameters...), int clusters, int size, int threads, size_t shared,
                              cudaStream_t stream, Arguments... arguments) {
    launch_clusters_as(true, kernel, clusters, size, threads, shared, stream, arguments...);
}

// How many clusters of that kernel the current device can run at a time; 0 if it does not say.
template <class... Parameters>
int count_clusters([[maybe_unused]] void (*kernel)(Parameters...), int size, [[maybe_unused]] int threads,
                   [[maybe_unused]] size_t shared) {
#ifndef SOLVE_EMULATOR
    cudaLaunchAttribute of_cluster{};
    of_cluster.id = cudaLaunchAttributeClusterDimension;
    of_cluster.val.clusterDim.x = size;
    of_cluster.val.clusterDim.y = of_cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(size);
    configuration.blockDim = dim3(threads);
    configuration.dynamicSmemBytes = shared;
    configuration.attrs = &of_cluster;
    configuration.numAttrs = 1;
    int count = 0;
    if (cudaOccupancyMaxActiveClusters(&count, kernel, &configuration) != cudaSuccess) count = 0, cudaGetLastError();
    return count;
#else
    return current_device().sms / size;
#endif
}

// The same; asked of the runtime once per device.
template <auto kKernel>
int clusters_at_a_time(int size, int threads, size_t shared) {
    static std::atomic<int> known[kMostDevices] = {};  // and 1 more
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= kMostDevices) return 0;
    if (const int value = known[device].load(std::memory_order_relaxed)) return value - 1;
    allow_shared(kKernel, static_cast<int>(shared));
    const int count = count_clusters(kKernel, size, threads, shared);
    known[device].store(count + 1, std::memory_order_relaxed);
    return count;
}

}  // namespace ladder
