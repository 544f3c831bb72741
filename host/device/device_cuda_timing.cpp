#ifdef HAVE_CUDA
#include "device/device_cuda_timing.h"

namespace judge {

namespace {

int attribute(cudaDeviceAttr name) {
    int device = 0, value = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, name, device);
    return value;
}

size_t flushed_words() {
    return size_t(2) * attribute(cudaDevAttrL2CacheSize) / sizeof(uint32_t) + 1;
}

double seconds_between(cudaEvent_t from, cudaEvent_t to) {
    MUST(cudaEventSynchronize(to));
    float ms = 0;
    MUST(cudaEventElapsedTime(&ms, from, to));
    return 1e-3 * ms;
}

}  // namespace

GpuRates gpu_rates() {
    const int capability =
        10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
    // FP32 lanes per SM, and tensor-core FP16 operations per clock and SM: from the CUDA programming guide's table
    // of throughputs and the data sheets. A GPU newer than these is taken for twice the last one.
    const int lanes = capability >= 70 && capability <= 80 ? 64 : 128;
    const int tensor = capability < 70    ? 0
                       : capability < 80  ? 1024
                       : capability == 80 ? 2048
                       : capability < 90  ? 1024
                       : capability == 90 ? 4096
                                          : 8192;
    const double clocks = 1e3 * attribute(cudaDevAttrClockRate) * attribute(cudaDevAttrMultiProcessorCount);
    const double fp32 = 2.0 * lanes * clocks;
    // Two transfers per clock on every wire.
    const double memory =
        2 * 1e3 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
    return {fp32, std::max(fp32, tensor * clocks), memory};
}

ColdTimer::ColdTimer() : flush_(flushed_words()), words_(flushed_words()) {
    MUST(cudaEventCreate(&start_));
    MUST(cudaEventCreate(&stop_));
}

ColdTimer::~ColdTimer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
}

double ColdTimer::seconds(const std::function<void()>& call) {
    // Lines that somebody made to persist would survive the flush. Not every GPU has any: no error then.
    cudaCtxResetPersistingL2Cache();
    cudaGetLastError();
    MUST(cudaMemsetAsync(flush_.data(), 0, words_ * sizeof(uint32_t)));
    MUST(cudaEventRecord(start_));
    call();
    MUST(cudaEventRecord(stop_));
    return seconds_between(start_, stop_);
}

EventTimes::EventTimes() {
    for (cudaEvent_t& event : events_) MUST(cudaEventCreate(&event));
}

EventTimes::~EventTimes() {
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
}

void EventTimes::record(int point) {
    MUST(cudaEventRecord(events_[point]));
}

double EventTimes::seconds(int from, int to) const {
    return seconds_between(events_[from], events_[to]);
}

}  // namespace judge
#endif
