// What the tools that race libraries on a GPU share: a time is that of a replay of a CUDA graph, by events, in blocks
// in which the racers take turns.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "../base/statistics.h"
#include "microbench/microbench.h"

namespace graph_race {

constexpr int kBlocks = 8;
constexpr double kHotSeconds = 3e-4;

// The stream that is captured, the events, and what is written over L2 where a replay is to be cold.
struct Clock {
    int l2_bytes = 0;
    char* flush = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t start = nullptr, stop = nullptr;

    Clock() {
        MUST(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
        flush = microbench::allocate<char>(2 * size_t(l2_bytes));
        MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        MUST(cudaEventCreate(&start));
        MUST(cudaEventCreate(&stop));
    }
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
};

using Call = std::function<void()>;  // enqueues on the clock's stream

class Graph {
  public:
    Graph(const Call& call, int calls, const Clock& clock) : clock_(clock), calls_(calls) {
        cudaGraph_t graph = nullptr;
        MUST(cudaStreamBeginCapture(clock.stream, cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < calls; ++i) call();
        MUST(cudaStreamEndCapture(clock.stream, &graph));
        MUST(cudaGraphInstantiate(&graph_, graph, 0));
        MUST(cudaGraphDestroy(graph));
        MUST(cudaGraphUpload(graph_, clock.stream));
        MUST(cudaStreamSynchronize(clock.stream));
    }
    ~Graph() { MUST(cudaGraphExecDestroy(graph_)); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    // Seconds a call.
    double replay(bool cold) const {
        if (cold) MUST(cudaMemsetAsync(clock_.flush, 1, 2 * size_t(clock_.l2_bytes), clock_.stream));
        MUST(cudaEventRecord(clock_.start, clock_.stream));
        MUST(cudaGraphLaunch(graph_, clock_.stream));
        MUST(cudaEventRecord(clock_.stop, clock_.stream));
        MUST(cudaEventSynchronize(clock_.stop));
        float ms = 0;
        MUST(cudaEventElapsedTime(&ms, clock_.start, clock_.stop));
        return 1e-3 * ms / calls_;
    }

  private:
    const Clock& clock_;
    int calls_;
    cudaGraphExec_t graph_ = nullptr;
};

// How many calls take so long, `most` at most. Of some replays the fastest counts: one that was held up for 0.1 ms
// would give a graph of one call, and of a kernel of 2 us that takes 4.5.
inline int calls_that_fill(double seconds, int most, const Call& call, const Clock& clock) {
    const Graph one(call, 1, clock);
    double least = one.replay(false);
    for (int i = 0; i < 6; ++i) least = std::min(least, one.replay(false));
    return std::clamp(static_cast<int>(seconds / least), 1, most);
}

struct Figure {
    std::vector<double> seconds;  // medians of the racers
    double ratio = 0;             // of the fastest other one's time to the first one's
    judge::Interval interval{};
};

// Racer i with calls[i] in its graph; blocks of all of them, every other one backwards. The ratio is the median of the
// blocks', the interval holds it with 95 %.
inline Figure race(const std::vector<Call>& racers, const std::vector<int>& calls, bool cold, const Clock& clock) {
    std::vector<std::unique_ptr<Graph>> graphs;
    for (size_t i = 0; i < racers.size(); ++i) graphs.push_back(std::make_unique<Graph>(racers[i], calls[i], clock));
    std::vector<std::vector<double>> seconds(racers.size());
    for (const auto& graph : graphs) graph->replay(cold);  // the first replay loads what is not loaded yet
    for (int block = 0; block < kBlocks; ++block) {
        for (size_t i = 0; i < graphs.size(); ++i) seconds[i].push_back(graphs[i]->replay(cold));
        for (size_t i = graphs.size(); i-- > 0;) seconds[i].push_back(graphs[i]->replay(cold));
    }
    Figure figure;
    for (const auto& each : seconds) figure.seconds.push_back(judge::median(each));
    const auto fastest = std::min_element(figure.seconds.begin() + 1, figure.seconds.end()) - figure.seconds.begin();
    std::vector<double> ratios;
    for (int i = 0; i < 2 * kBlocks; i += 2) {
        ratios.push_back((seconds[fastest][i] + seconds[fastest][i + 1]) / (seconds[0][i] + seconds[0][i + 1]));
    }
    figure.ratio = judge::median(ratios);
    figure.interval = *judge::median_interval(ratios);
    return figure;
}

// How many calls a graph has of each racer: one if it is to be cold, else so many that they take kHotSeconds.
inline std::vector<int> calls_in_graphs(const std::vector<Call>& racers, bool cold, const Clock& clock) {
    for (const Call& each : racers) each();  // what a library makes when it is first called is nothing for a graph
    MUST(cudaStreamSynchronize(clock.stream));
    std::vector<int> calls(racers.size(), 1);
    for (size_t i = 0; i < racers.size() && !cold; ++i) calls[i] = calls_that_fill(kHotSeconds, 100, racers[i], clock);
    return calls;
}

// Once more if the first racer is behind, and the better of the two counts: it is behind if it is so twice.
inline Figure race_twice_if_behind(const std::vector<Call>& racers, bool cold, const Clock& clock) {
    const std::vector<int> calls = calls_in_graphs(racers, cold, clock);
    const Figure first = race(racers, calls, cold, clock);
    if (first.interval.high >= 1) return first;
    const Figure second = race(racers, calls, cold, clock);
    return second.interval.high > first.interval.high ? second : first;
}

static __global__ void fill(float* to, size_t count, uint32_t seed) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
        uint32_t x = static_cast<uint32_t>(i) * 2654435761u + seed;
        x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
        to[i] = static_cast<float>(x) * 0x1p-31f - 1;
    }
}

// The largest |x - y| and |y|.
static __global__ void differ(const float* x, const float* y, int rows, int cols, int64_t ld, float* found) {
    float difference = 0, size = 0;
    for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < int64_t(rows) * cols;
         i += int64_t(gridDim.x) * blockDim.x) {
        const int64_t at = i / cols * ld + i % cols;
        const float distance = fabsf(x[at] - y[at]);
        difference = fmaxf(difference, isfinite(distance) ? distance : INFINITY);
        size = fmaxf(size, fabsf(y[at]));
    }
    atomicMax(reinterpret_cast<int*>(found),
              __float_as_int(difference));  // of what is not negative the order is that of ints
    atomicMax(reinterpret_cast<int*>(found) + 1, __float_as_int(size));
}

// The largest difference of two matrices, over the largest element of y, when the stream has come there.
inline double difference(const float* x, const float* y, int rows, int cols, int64_t ld, const Clock& clock) {
    static float* const found = microbench::allocate<float>(2);
    MUST(cudaMemsetAsync(found, 0, 2 * sizeof(float), clock.stream));
    differ<<<1024, 256, 0, clock.stream>>>(x, y, rows, cols, ld, found);
    float both[2];
    MUST(cudaMemcpyAsync(both, found, sizeof(both), cudaMemcpyDeviceToHost, clock.stream));
    MUST(cudaStreamSynchronize(clock.stream));
    return both[0] / both[1];
}

}  // namespace graph_race
