// Instructions that the 32 lanes of a warp execute together, each with operands of its own: mma.sync and wmma.
#pragma once

#include <stdexcept>
#include <string>

#include "math.h"
#include "warp.h"

namespace emulator {

// What the lane `lane` of the calling thread's warp brought to the instruction.
template <class T>
struct WarpOperands {
    const unsigned long long* exchange;

    struct Offer {
        Place place;
        const T* operands;
    };
    const Offer& offer(unsigned lane) const { return *reinterpret_cast<const Offer*>(exchange[lane]); }
    const T& operator[](unsigned lane) const { return *offer(lane).operands; }
};

// The calling thread's lane among those of its warp that are at such an instruction, for the length of a scope.
class Presence {
  public:
    Presence() { lanes() |= 1u << lane(); }
    ~Presence() { lanes() &= ~(1u << lane()); }
    Presence(const Presence&) = delete;
    Presence& operator=(const Presence&) = delete;

    static unsigned& lanes() {
        static thread_local unsigned present[32];  // a block has at most 32 warps
        return present[current()->linear / 32];
    }
};

// Calls execute(operands of all lanes). A lane that has left the kernel, that waits elsewhere or that is at another
// such instruction is a fault: on a GPU the result would be undefined.
template <class T, class Execute>
void warp_operation(const T& operands, Place place, Execute execute) {
    const Presence presence;
    const typename WarpOperands<T>::Offer offer{place, &operands};
    const WarpOperands<T> all{warp_exchange()};
    warp_exchange()[lane()] = reinterpret_cast<unsigned long long>(&offer);
    warp_barrier(place, 0xffffffff);

    const auto where = [&] { return std::string(place.file) + ":" + std::to_string(place.line) + ": "; };
    if (const int missing = __builtin_popcount(~Presence::lanes())) {
        throw std::runtime_error(where() + std::to_string(missing) + " of the warp's 32 threads " +
                                 (missing == 1 ? "is" : "are") + " not at this " + place.function);
    }
    // If not all are at the same one, then some are not where the first one is. Mostly its name is the same literal.
    for (unsigned i = 0; i < (lane() == 0 ? 32 : 1); ++i) {
        const Place& other = all.offer(i).place;
        if (other.line != place.line ||
            (other.function != place.function && std::strcmp(other.function, place.function) != 0)) {
            throw std::runtime_error(where() + "the warp's thread " + std::to_string(i) + " is not at this " +
                                     place.function + " but at the " + other.function + " in line " +
                                     std::to_string(other.line));
        }
    }
    execute(all);
    warp_barrier(place, 0xffffffff);  // nobody's operands go before all have read them
}

// An operand as the TF32 unit reads it: of the 23 bits of the fraction it looks at 10.
inline float as_tf32(float value) {
    return reinterpret_bits<float>(reinterpret_bits<unsigned>(value) & 0xffffe000u);
}

}  // namespace emulator
