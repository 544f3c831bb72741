// How long a call takes between matrices in the host's memory.
#pragma once

#include <functional>

#include "device/device.h"
#include "values/record.h"

namespace judge {

// What that needs of a device and a problem. Nothing here knows either, so that a test can fake them.
struct CopiedCallHooks {
    std::function<void()> copy_in;
    std::function<void()> call;
    std::function<void()> copy_out;       // returns when C has come
    std::function<double()> seconds;      // a steady clock
    std::function<double()> cpu_seconds;  // CPU time of the whole process
    StreamTimes* stream_times = nullptr;  // null: the call alone is timed by `seconds`, and there is no GPU time
};

// The medians of up to 7 of them, or as many as 0.3 s have room for. The first one, whose memory is new to the driver,
// is left out if it is not the only one.
CopiedCall time_copied_call(const CopiedCallHooks& hooks);

}  // namespace judge
