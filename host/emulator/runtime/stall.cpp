#include "stall.h"

namespace emulator {

void Stall::enter() {
    const std::lock_guard lock(mutex_);
    ++runners_;
}

void Stall::leave() {
    const std::lock_guard lock(mutex_);
    --runners_;
    last_lap_ = false;
    waiting_ = 0;
    ++lap_;
}

bool Stall::is_hopeless(unsigned& lap) {
    const std::lock_guard lock(mutex_);
    if (lap != lap_) {
        lap = lap_;
        ++waiting_;
    }
    if (waiting_ < runners_) return false;
    if (last_lap_) return true;
    last_lap_ = true;
    waiting_ = 0;
    ++lap_;
    return false;
}

void Stall::moved(unsigned& lap) {
    const std::lock_guard lock(mutex_);
    lap = 0;
    last_lap_ = false;
    waiting_ = 0;
    ++lap_;
}

}  // namespace emulator
