#include "timing/second_clock.h"

#include <fmt/format.h>

namespace judge {

void SecondClock::batch_begins(Time now) {
    start_ = now;
}

void SecondClock::batch_ended(double seconds, Time now) {
    by_worker_ += seconds;
    by_us_ += std::chrono::duration<double>(now - start_).count();
    ++batches_;
}

void SecondClock::judge(Row& row) {
    constexpr double kLate = 2e-3;
    if (row.status == Status::ok && by_worker_ < 0.8 * by_us_ - kLate * batches_) {
        row.status = Status::suspicious;
        add_note(row, fmt::format("its {} batches took {:.3g} s by a clock in another process, {:.3g} s by the one in "
                                  "its own",
                                  batches_, by_us_, by_worker_));
    }
    *this = SecondClock();
}

}  // namespace judge
