// What timing needs of a GPU: its nominal rates, and one call with cold caches. Compiled by nvcc.
#pragma once

#include <functional>

#include "device/device_cuda_memory.h"

namespace judge {

// Of the current device, by its data sheet: nothing runs faster.
struct GpuRates {
    double fp32_flops;     // per second, CUDA cores, 2 per multiply-add
    double fastest_flops;  // tensor cores on FP16, dense: what any split or rounding of FP32 ends up on
    double memory_bytes;   // per second
};

GpuRates gpu_rates();

// Times single calls between two events on the default stream, behind a write of twice the L2 cache that also gives the
// host the time to enqueue the call. Work on a stream that does not wait for the default one escapes the events: a time
// much shorter than that of the same call in a batch shows it.
class ColdTimer {
  public:
    ColdTimer();
    ~ColdTimer();
    ColdTimer(const ColdTimer&) = delete;
    ColdTimer& operator=(const ColdTimer&) = delete;

    double seconds(const std::function<void()>& call);

  private:
    Buffer<uint32_t> flush_;
    size_t words_;
    cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

// By events on the default stream.
class EventTimes final : public StreamTimes {
  public:
    EventTimes();
    ~EventTimes() override;
    EventTimes(const EventTimes&) = delete;
    EventTimes& operator=(const EventTimes&) = delete;

    void record(int point) override;
    double seconds(int from, int to) const override;

  private:
    cudaEvent_t events_[kPoints] = {};
};

}  // namespace judge
