// Threads that wait for others without a barrier: on an mbarrier, or in a loop that looks at memory.
#include <thread>

#include "block_runner.h"

namespace emulator {
namespace {

// A call of wait_for_others() is known to wait and counts as 200 looks at memory, which a working thread makes as well.
constexpr unsigned kLooksOfPoll = 256, kWeightOfWait = 200;
// So many looks that come to nothing, some milliseconds, and another OS thread is to execute blocks that have not
// begun; and so many, and the launch may stand still. A cluster of eight blocks on two cores waits for six threads.
// With a fifth of the patience there are too many threads, and with twenty times as much rung 75's tests, sanitized,
// take 55 s for 18 to 22.
constexpr unsigned kPatience = 1'000'000, kLongPatience = 20'000'000;

}  // namespace

void wait_for_others(Place place) {
    if (BlockRunner* const runner = BlockRunner::executing()) runner->wait_for_others(place);
}
void wait_is_over() {
    current()->block->runner->wait_is_over();
}
void look(Place place, bool changed) {
    if (BlockRunner* const runner = BlockRunner::executing()) runner->look(place, changed);
}

void BlockRunner::wait_for_others(Place place) {
    poll(place, kWeightOfWait);
}

void BlockRunner::look(Place place, bool changed) {
    if (changed) progress();
    if (++looks_ < kLooksOfPoll || abandoned_) return;  // abandoned: the destructors of what unwinds
    looks_ = 0;
    poll(place, kLooksOfPoll);
}

void BlockRunner::poll(Place place, unsigned weight) {
    fruitless_ += weight;
    polling_.push_back({running_, place, 0});
    suspend(running());
}

// Everybody else waits too: what is waited for comes from those that look, or from a block of another runner's.
bool BlockRunner::poll_again() {
    if (polling_.empty()) return false;
    const bool some_are_left = !grid_->failed && grid_->next_block < grid_->blocks;
    if (fruitless_ > kPatience && some_are_left && grid_->add_runner()) fruitless_ = 0;
    if (fruitless_ > kLongPatience) {
        fruitless_ = 0;
        if (grid_->failed || grid_->stall.is_hopeless(lap_)) return false;
    }
    if (++rounds_ % 64 == 0) std::this_thread::yield();
    for (const Waiting& each : polling_) ready_.push_back(each.fiber);
    polling_.clear();
    random_.shuffle(ready_);
    return true;
}

}  // namespace emulator
