// Barriers of a warp's lanes, and what goes from lane to lane.
#include <bit>
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
unsigned long long warp_exchange(Place place, unsigned mask, unsigned long long brought, unsigned from) {
    return current()->block->runner->warp_exchange(place, mask, brought, from);
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
    return warps_[running().thread()->linear / 32].brought;
}

unsigned long long BlockRunner::warp_exchange(Place place, unsigned mask, unsigned long long brought, unsigned from) {
    const unsigned linear = running().thread()->linear, lane = linear % 32;
    Warp& warp = warps_[linear / 32];
    warp.brought[lane] = brought;
    warp.from[lane] = from;
    warp_barrier(place, mask);
    return warp.taken[lane];
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
    const unsigned expected = mask & ~warp.left;
    if (warp.waiting.size() < size_t(std::popcount(expected))) return;  // which all but the last one find
    unsigned come = 0;
    for (const Waiting& each : warp.waiting) {
        if (each.mask == mask) come |= 1u << each.fiber->thread()->linear % 32;
    }
    if (expected & ~come) return;
    hand_over(warp, come);
    const size_t first = ready_.size();
    std::erase_if(warp.waiting, [&](const Waiting& each) {
        if (each.mask == mask) ready_.push_back(each.fiber);
        return each.mask == mask;
    });
    random_.shuffle(ready_, first);
}

// While all wait: then none needs to wait once more, for the others to have read what it brought.
void BlockRunner::hand_over(Warp& warp, unsigned come) {
    unsigned votes = 0;
    for (unsigned lane = 0; lane < 32; ++lane) votes |= unsigned(warp.brought[lane] != 0) << lane;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(come >> lane & 1)) continue;
        const unsigned from = warp.from[lane];
        warp.taken[lane] = from == kAllVotes ? votes & come : warp.brought[from];
    }
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
