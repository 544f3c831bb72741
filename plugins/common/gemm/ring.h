// A ring of pipeline stages in shared memory (a circular buffer), gone through one after the other and round again.
// Each stage holds its tiles of A and B and its two barriers, so that one address leads to all of them.
#pragma once

#include <type_traits>

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

// Calls fill(at_once, has_all, stage, step) for the steps from `begin` to before `end`, each once its stage is empty.
// Where a whole round of the ring lies before `whole`, it is unrolled: the compiler knows every stage's address then,
// and at_once is true at compile time, so that fill need not compare n. So is has_all, with which it need not compare
// lines either, if all_lines or kAlways. Elsewhere both are false.
template <bool kAlways, class T, class Fill>
__device__ __forceinline__ void fill_steps(Ring<T>& ring, int begin, int end, int whole, bool all_lines, Fill fill) {
    const auto fill_ring = [&](auto has_all, int step) {
#pragma unroll
        for (int i = 0; i < T::kStages; ++i) {
            ring.first[i].empty.wait(ring.parity ^ 1);
            fill(std::true_type(), has_all, ring.first[i], step + i);
        }
        ring.parity ^= 1;
    };
    for (int step = begin; step < end;) {
        if (ring.stage == ring.first && whole - step >= T::kStages) {
            kAlways || all_lines ? fill_ring(std::true_type(), step) : fill_ring(std::false_type(), step);
            step += T::kStages;
        } else {
            ring.stage->empty.wait(ring.parity ^ 1);
            fill(std::false_type(), std::false_type(), *ring.stage, step);
            ring.advance();
            ++step;
        }
    }
}

}  // namespace ladder
