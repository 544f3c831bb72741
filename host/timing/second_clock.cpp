#include "timing/second_clock.h"

#include <fmt/format.h>

namespace judge {

void SecondClock::batch_begins(Time now) {
    start_ = now;
}

void SecondClock::batch_ended(double seconds, Time now) {
    constexpr double kLate = 2e-3;
    const double by_us = std::chrono::duration<double>(now - start_).count();
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
