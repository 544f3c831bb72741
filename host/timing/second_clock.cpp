#include "timing/second_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace judge {

double waited_for_a_core() {
    // Nanoseconds on a core, nanoseconds waiting for one, and how often it was given one.
    std::ifstream file("/proc/thread-self/schedstat");
    double ran = 0, waited = 0;
    return file >> ran >> waited ? waited * 1e-9 : 0;
}

void SecondClock::batch_begins(Time now, double waited) {
    start_ = now;
    waited_ = waited;
}

void SecondClock::batch_ended(double seconds, Time now, double waited) {
    constexpr double kLate = 2e-3;
    const double heard = std::chrono::duration<double>(now - start_).count();
    const double by_us = std::max(heard - (waited - waited_), 0.0);
    by_worker_ += seconds;
    by_us_ += by_us;
    longer_ += seconds < 0.8 * by_us - kLate;
    ++batches_;
}

void SecondClock::judge(Row& row) {
    if (is_right(row.status) && 2 * longer_ > batches_) {
        row.status = Status::suspicious;
        add_note(row, fmt::format("its {} batches took {:.3g} s by a clock in another process, {:.3g} s by the one in "
                                  "its own",
                                  batches_, by_us_, by_worker_));
    }
    *this = SecondClock();
}

}  // namespace judge
