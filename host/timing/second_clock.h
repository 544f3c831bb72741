// The parent's clock beside the worker's: a plugin can change what a clock in its own process says.
#pragma once

#include <chrono>

#include "values/record.h"

namespace judge {

class SecondClock {
  public:
    using Time = std::chrono::steady_clock::time_point;

    // The worker says that a batch begins, and that it has ended and took so long; `now` is when that was heard.
    void batch_begins(Time now);
    void batch_ended(double seconds, Time now);

    // Makes the row suspicious if most of its batches took much longer than the worker says, and starts anew. A message
    // is heard late by what a busy machine takes to wake us: up to some milliseconds, now and then far more, and as
    // often the first as the second. So the batches are judged one by one.
    void judge(Row& row);

  private:
    Time start_{};
    double by_worker_ = 0, by_us_ = 0;  // seconds
    int batches_ = 0, longer_ = 0;      // longer_: that took much longer by us
};

}  // namespace judge
