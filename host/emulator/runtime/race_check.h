// Blocks that write the same elements without atomics: as `C[i] += part` from several of them, which here, one block
// after the other, is right.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "block_runner.h"

namespace emulator {

// Two blocks that neither use atomics nor fences cannot know of each other. So, now and then, one half of a launch's
// blocks runs on the memory as it was before the launch, as if it came first, and so does the other half. What both
// changed, to other values, is a race.
class RaceCheck {
  public:
    // Decides whether this launch is checked, and then lets `grid` run one half of its blocks. Since it counts the
    // launches of a kernel with the same grid and arguments (pointers aside), it also says in which order blocks run.
    explicit RaceCheck(Grid& grid);
    // Learns whether the kernel's blocks talk to each other.
    ~RaceCheck();
    RaceCheck(const RaceCheck&) = delete;
    RaceCheck& operator=(const RaceCheck&) = delete;

    bool is_wanted() const { return wanted_; }
    void run_other_half(const std::function<void()>& run);

  private:
    struct Snapshot;
    void merge(const Snapshot& before, const Snapshot& first);

    Grid& grid_;
    size_t key_;
    bool wanted_ = false;
    std::unique_lock<std::mutex> alone_;  // what another call writes meanwhile would be set back
    std::vector<Snapshot> before_;
};

}  // namespace emulator
