// Barriers of a warp's lanes, and what goes from lane to lane.
#include <stdexcept>
#include <string>
#include <vector>

#include "../include/emulator/warp.h"
#include "block_runner.h"
#include "faults.h"

namespace emulator {

void warp_barrier(Place place, unsigned mask) {
    current()->block->runner->warp_barrier(place, mask);
}
unsigned long long* warp_exchange() {
    return current()->block->runner->warp_exchange();
}
unsigned warp_lanes() {
    return current()->block->runner->warp_lanes();
}
unsigned converge(Place place) {
    return current()->block->runner->converge(place);
}

void BlockRunner::warp_barrier(Place place, unsigned mask) {
    const unsigned linear = running().thread()->linear;
    if (!(mask >> linear % 32 & 1)) {
        throw std::runtime_error(std::string(place.file) + ":" + std::to_string(place.line) + ": " + place.function +
                                 ": the mask " + hexadecimal(mask) + " lacks the thread's own lane " +
                                 std::to_string(linear % 32));
    }
    Warp& warp = warps_[linear / 32];
    warp.waiting.push_back({running_, place, mask});
    release_warp(warp, mask);
    suspend(running());
}

unsigned long long* BlockRunner::warp_exchange() {
    return warps_[running().thread()->linear / 32].exchange;
}

unsigned BlockRunner::converge(Place place) {
    Warp& warp = warps_[running().thread()->linear / 32];
    warp.converging.push_back({running_, place, 0});
    suspend(running());
    return warp.converged;
}

unsigned BlockRunner::warp_lanes() {
    return ~warps_[running().thread()->linear / 32].left;
}

// Each mask is a barrier of its own: a lane that waits with another mask has not arrived here.
void BlockRunner::release_warp(Warp& warp, unsigned mask) {
    unsigned missing = mask & ~warp.left;
    for (const Waiting& each : warp.waiting) {
        if (each.mask == mask) missing &= ~(1u << each.fiber->thread()->linear % 32);
    }
    if (missing != 0) return;
    const size_t first = ready_.size();
    std::erase_if(warp.waiting, [&](const Waiting& each) {
        if (each.mask == mask) ready_.push_back(each.fiber);
        return each.mask == mask;
    });
    random_.shuffle(ready_, first);
}

// Releases the warp barriers whose missing lanes have left the kernel since the others came.
bool BlockRunner::release_warp_barriers() {
    for (Warp& warp : warps_) {
        for (const Waiting& each : std::vector(warp.waiting)) release_warp(warp, each.mask);
    }
    if (!ready_.empty()) progress();
    return !ready_.empty();
}

// Nobody else runs: the lanes of a warp that have come to the same __activemask() are those that are active there.
bool BlockRunner::release_converged() {
    for (Warp& warp : warps_) {
        if (warp.converging.empty()) continue;
        const Place place = warp.converging.front().place;
        warp.converged = 0;
        std::erase_if(warp.converging, [&](const Waiting& each) {
            if (!same_place(each.place, place)) return false;
            warp.converged |= 1u << each.fiber->thread()->linear % 32;
            ready_.push_back(each.fiber);
            return true;
        });
    }
    random_.shuffle(ready_);
    return !ready_.empty();
}

}  // namespace emulator
