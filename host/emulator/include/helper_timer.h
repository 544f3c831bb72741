// The stop watch of NVIDIA's samples.
#pragma once

#include <chrono>

class StopWatchInterface {
  public:
    using Clock = std::chrono::steady_clock;
    Clock::time_point begin{};
    float milliseconds = 0;
};
inline bool sdkCreateTimer(StopWatchInterface** timer) {
    *timer = new StopWatchInterface;
    return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
    delete *timer;
    *timer = nullptr;
    return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) {
    (*timer)->begin = StopWatchInterface::Clock::now();
    return true;
}
inline bool sdkStopTimer(StopWatchInterface** timer) {
    using Milliseconds = std::chrono::duration<float, std::milli>;
    (*timer)->milliseconds += Milliseconds(StopWatchInterface::Clock::now() - (*timer)->begin).count();
    return true;
}
inline bool sdkResetTimer(StopWatchInterface** timer) {
    **timer = {};
    return true;
}
inline float sdkGetTimerValue(StopWatchInterface** timer) {
    return (*timer)->milliseconds;
}
