// A walk through the stages of a ring in shared memory, one after the other and round again. Each stage holds its tiles
// of A and B and its two barriers, so that one address leads to all of them.
#pragma once

#include "../ptx/mbarrier.h"
#include "../ptx/opaque.h"

namespace ladder {

// T::Shared has T::kStages T::Stage in `stages`. Parity is that of the rounds completed.
template <class T>
class Ring {
  public:
    __device__ __forceinline__ explicit Ring(typename T::Shared& shared)
        : first(opaque_shared(shared.stages)), stage(first), parity(0) {}

    __device__ __forceinline__ void advance() {
        const bool round = stage == first + T::kStages - 1;
        stage = opaque_shared(round ? first : stage + 1);
        parity ^= round;
    }

    typename T::Stage *const first, *stage;
    int parity;
};

}  // namespace ladder
