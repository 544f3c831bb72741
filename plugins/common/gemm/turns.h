// Two warpgroups that ask for products by turns, threads 0 to 127 first. Else they share the tensor cores, are both
// ready at a time, and while both do what is to be done with their sums the tensor cores idle.
#pragma once

#include "../ptx/mbarrier.h"

namespace ladder {

// With kActive false they need not wait for each other.
template <bool kActive>
class Turns {
  public:
    // Of both warpgroups, each for four arrivals.
    __device__ __forceinline__ explicit Turns(Mbarrier (&turns)[2])
        : own_(turns[threadIdx.x / 128]), other_(turns[1 - threadIdx.x / 128]), parity_(threadIdx.x < 128) {}

    // Before a group of products is requested, and once all of it has been: the tensor cores have it in their queue.
    __device__ __forceinline__ void wait() {
        if (kActive) own_.wait(parity_);
        parity_ ^= 1;
    }
    __device__ __forceinline__ void pass() {
        if (!kActive) return;
        __syncwarp();  // all lanes saw their turn come: one that looks later may find it past, and wait for the next
        if (threadIdx.x % 32 == 0) other_.arrive();
    }

  private:
    Mbarrier &own_, &other_;
    int parity_;
};

}  // namespace ladder
