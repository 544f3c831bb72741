// The parent's clock beside the worker's: a plugin can change what a clock in its own process says.
#pragma once

#include <chrono>

#include "values/record.h"

namespace judge {

// Seconds for which this thread has been ready to run, since it began, and had no core; 0 where the kernel does not
// count them.
double waited_for_a_core();

class SecondClock {
  public:
    using Time = std::chrono::steady_clock::time_point;

    // The worker says that a batch begins, and that it has ended and took so long; `now` is when that was heard, and
    // `waited` what waited_for_a_core() says then.
    void batch_begins(Time now, double waited);
    void batch_ended(double seconds, Time now, double waited);

    // Makes the row suspicious if most of its batches took much longer than the worker says, and starts anew. A message
    // is heard late by what a busy machine takes to give us a core: with seven threads to a core 18 ms after a batch of
    // 10 ms, whose plugin has just run. What the kernel counts of that is taken off; the rest is as often the first
    // message's as the second's. So the batches are judged one by one.
    void judge(Row& row);

  private:
    Time start_{};
    double waited_ = 0;                 // when the batch began
    double by_worker_ = 0, by_us_ = 0;  // seconds
    int batches_ = 0, longer_ = 0;      // longer_: that took much longer by us
};

}  // namespace judge
