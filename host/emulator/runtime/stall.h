// Whether a launch stands still: every block that runs only waits, for what none of the others will do any more.
#pragma once

#include <mutex>

namespace emulator {

class Stall {
  public:
    // A block runner begins, or ends.
    void enter();
    void leave();

    // Called again and again by a runner while its threads have done nothing but wait for long. True once all runners
    // have called it in two successive rounds: by the second one each has seen what the others wrote before they began
    // to wait. `lap` is the runner's own, 0 at first.
    bool is_hopeless(unsigned& lap);

    // One that had said so has gone on.
    void moved(unsigned& lap);

  private:
    std::mutex mutex_;
    int runners_ = 0, waiting_ = 0;  // those that wait have said so in this lap
    unsigned lap_ = 1;
    bool last_lap_ = false;
};

}  // namespace emulator
