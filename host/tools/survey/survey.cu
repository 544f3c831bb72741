// Races a plugin against cuBLAS's two FP32 modes at shapes that nobody chose: drawn from a seed, timed on the GPU.
//
//   survey SEED COUNT FILE PLUGIN PEDANTIC DEFAULT    libraries with solve_gemm; FILE gets a line a shape, at once
//
// A shape: M, N and K log-uniform from 1 to 8192 with 1e5 <= MNK <= 3e11; one in three with matrices that begin 4 bytes
// past a boundary of 16 and have rows of odd length; one in three with A, B or both transposed. Shape i of a seed is
// the same however many there are, so that a run that was cut off goes on where FILE ends.
//
// A time: of a replay of a CUDA graph, by events. Hot: a graph of so many calls that it takes 0.3 ms, back to back.
// Cold: a graph of one call, behind a kernel that fills L2 with something else. A block takes the three libraries one
// after the other, the next one backwards; the ratio of a block is the faster mode's time over the plugin's, the
// interval holds the median of the blocks' with 95 %. Where that interval lies below 1, it is measured once more, and
// the better of the two counts: a shape is behind if it is so twice.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>

#include "../../../abi/loader.hpp"
#include "../../base/statistics.h"
#include "../microbench/microbench.h"

namespace {

using judge::Interval, judge::median, judge::median_interval;
using sgemm_ladder::Plugin;

constexpr int kBlocks = 8;
constexpr double kHotSeconds = 3e-4;
constexpr int kLargest = 8192;
constexpr size_t kWorkspace = size_t{64} << 20;                  // lent to each call, as PyTorch lends cuBLAS some
constexpr size_t kArena = size_t(kLargest + 1) * kLargest + 64;  // floats of one matrix, with rows longer by one

struct Drawn {
    int M, N, K;
    bool misaligned, transpose_a, transpose_b;

    double products() const { return double(M) * N * K; }
    std::string form() const { return std::string(transpose_a ? "T" : "N") + (transpose_b ? "T" : "N"); }
};

Drawn draw(uint64_t seed, int index) {
    std::mt19937_64 bits(seed * 1000003 + index);
    const auto part = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
    const auto size = [&] { return static_cast<int>(std::exp(part() * std::log(kLargest + 1.0))); };
    Drawn drawn{};
    do {
        drawn.M = size(), drawn.N = size(), drawn.K = size();
    } while (drawn.products() < 1e5 || drawn.products() > 3e11);
    drawn.misaligned = part() < 1.0 / 3;
    if (part() < 1.0 / 3) {
        const int form = 1 + static_cast<int>(3 * part());
        drawn.transpose_a = form & 1, drawn.transpose_b = form & 2;
    }
    return drawn;
}

struct Arena {
    float *a = microbench::allocate<float>(kArena), *b = microbench::allocate<float>(kArena),
          *c = microbench::allocate<float>(kArena), *other = microbench::allocate<float>(kArena);
    char* workspace = microbench::allocate<char>(kWorkspace);
    int l2_bytes = 0;
    char* flush = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t start = nullptr, stop = nullptr;

    Arena() {
        MUST(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
        flush = microbench::allocate<char>(2 * size_t(l2_bytes));
        MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        MUST(cudaEventCreate(&start));
        MUST(cudaEventCreate(&stop));
    }
};

__global__ void fill(float* to, size_t count, uint32_t seed) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
        uint32_t x = static_cast<uint32_t>(i) * 2654435761u + seed;
        x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
        to[i] = static_cast<float>(x) * 0x1p-31f - 1;
    }
}

// The largest |x - y| and |y|.
__global__ void differ(const float* x, const float* y, int rows, int cols, int64_t ld, float* found) {
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

solve_gemm_t call_of(const Drawn& drawn, const Arena& arena, float* c) {
    solve_gemm_t call = solve_gemm_one();
    const int64_t skip = drawn.misaligned ? 1 : 0;
    const auto length = [&](int cols) { return drawn.misaligned ? int64_t{cols | 1} : int64_t{cols}; };
    call.M = drawn.M, call.N = drawn.N, call.K = drawn.K;
    call.transpose_a = drawn.transpose_a, call.transpose_b = drawn.transpose_b;
    call.A = arena.a + skip, call.lda = length(drawn.transpose_a ? drawn.M : drawn.N);
    call.B = arena.b + skip, call.ldb = length(drawn.transpose_b ? drawn.N : drawn.K);
    call.C = c + skip, call.ldc = length(drawn.K);
    call.stream = arena.stream;
    call.workspace = arena.workspace, call.workspace_bytes = kWorkspace;
    return call;
}

class Graph {
  public:
    Graph(const Plugin& plugin, const solve_gemm_t& call, int calls, const Arena& arena)
        : arena_(arena), calls_(calls) {
        cudaGraph_t graph = nullptr;
        MUST(cudaStreamBeginCapture(arena.stream, cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < calls; ++i) plugin.gemm(call);
        MUST(cudaStreamEndCapture(arena.stream, &graph));
        MUST(cudaGraphInstantiate(&graph_, graph, 0));
        MUST(cudaGraphDestroy(graph));
        MUST(cudaGraphUpload(graph_, arena.stream));
        MUST(cudaStreamSynchronize(arena.stream));
    }
    ~Graph() { MUST(cudaGraphExecDestroy(graph_)); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    // Seconds a call.
    double replay(bool cold) const {
        if (cold) MUST(cudaMemsetAsync(arena_.flush, 1, 2 * size_t(arena_.l2_bytes), arena_.stream));
        MUST(cudaEventRecord(arena_.start, arena_.stream));
        MUST(cudaGraphLaunch(graph_, arena_.stream));
        MUST(cudaEventRecord(arena_.stop, arena_.stream));
        MUST(cudaEventSynchronize(arena_.stop));
        float ms = 0;
        MUST(cudaEventElapsedTime(&ms, arena_.start, arena_.stop));
        return 1e-3 * ms / calls_;
    }

  private:
    const Arena& arena_;
    int calls_;
    cudaGraphExec_t graph_ = nullptr;
};

using Libraries = std::array<const Plugin*, 3>;  // the plugin, then cuBLAS's pedantic and default modes

struct Figure {
    std::array<double, 3> seconds{};  // medians
    double ratio = 0;
    Interval interval{};
};

// `calls` of them in a graph; blocks of the three, every other one backwards.
Figure race(const Libraries& libraries, const solve_gemm_t& call, const std::array<int, 3>& calls, bool cold,
            const Arena& arena) {
    const Graph graphs[] = {{*libraries[0], call, calls[0], arena},
                            {*libraries[1], call, calls[1], arena},
                            {*libraries[2], call, calls[2], arena}};
    std::array<std::vector<double>, 3> seconds;
    for (const Graph& graph : graphs) graph.replay(cold);  // the first replay loads what is not loaded yet
    for (int block = 0; block < kBlocks; ++block) {
        for (const int step : {0, 1, 2, 2, 1, 0}) seconds[step].push_back(graphs[step].replay(cold));
    }
    Figure figure;
    for (int i = 0; i < 3; ++i) figure.seconds[i] = median(seconds[i]);
    const auto& faster = figure.seconds[1] < figure.seconds[2] ? seconds[1] : seconds[2];
    std::vector<double> ratios;
    for (int i = 0; i < 2 * kBlocks; i += 2) {
        ratios.push_back((faster[i] + faster[i + 1]) / (seconds[0][i] + seconds[0][i + 1]));
    }
    figure.ratio = median(ratios);
    figure.interval = *median_interval(ratios);
    return figure;
}

Figure race_twice_if_behind(const std::function<Figure()>& once) {
    const Figure first = once();
    if (first.interval.high >= 1) return first;
    const Figure second = once();
    return second.interval.high > first.interval.high ? second : first;
}

// The largest difference to pedantic cuBLAS's C, over its largest element.
double difference(const Libraries& libraries, const Drawn& drawn, const Arena& arena) {
    static float* const found = microbench::allocate<float>(2);
    libraries[0]->gemm(call_of(drawn, arena, arena.c));
    libraries[1]->gemm(call_of(drawn, arena, arena.other));
    const solve_gemm_t call = call_of(drawn, arena, arena.c);
    MUST(cudaMemsetAsync(found, 0, 2 * sizeof(float), arena.stream));
    differ<<<1024, 256, 0, arena.stream>>>(call.C, call_of(drawn, arena, arena.other).C, drawn.M, drawn.K, call.ldc,
                                           found);
    float both[2];
    MUST(cudaMemcpyAsync(both, found, sizeof(both), cudaMemcpyDeviceToHost, arena.stream));
    MUST(cudaStreamSynchronize(arena.stream));
    return both[0] / both[1];
}

int calls_that_fill(const Plugin& plugin, const solve_gemm_t& call, const Arena& arena) {
    const Graph one(plugin, call, 1, arena);
    one.replay(false);
    const double seconds = std::min(one.replay(false), one.replay(false));
    return std::clamp(static_cast<int>(kHotSeconds / seconds), 1, 100);
}

std::string line_of(int index, const Drawn& drawn, const Libraries& libraries, const Arena& arena) {
    const solve_gemm_t call = call_of(drawn, arena, arena.c);
    const double error = difference(libraries, drawn, arena);
    std::array<int, 3> calls{}, one{1, 1, 1};
    for (int i = 0; i < 3; ++i) calls[i] = calls_that_fill(*libraries[i], call, arena);
    const Figure hot = race_twice_if_behind([&] { return race(libraries, call, calls, false, arena); });
    const Figure cold = race_twice_if_behind([&] { return race(libraries, call, one, true, arena); });
    char text[512];
    std::snprintf(text, sizeof(text),
                  "%d\t%dx%dx%d\t%s\t%s\t%.5g\t%.5g\t%.5g\t%.4f\t%.4f\t%.4f\t%.5g\t%.5g\t%.5g\t%.4f\t%.4f\t%.4f\t%.2g",
                  index, drawn.M, drawn.N, drawn.K, drawn.form().c_str(), drawn.misaligned ? "odd" : "aligned",
                  1e6 * hot.seconds[0], 1e6 * hot.seconds[1], 1e6 * hot.seconds[2], hot.ratio, hot.interval.low,
                  hot.interval.high, 1e6 * cold.seconds[0], 1e6 * cold.seconds[1], 1e6 * cold.seconds[2], cold.ratio,
                  cold.interval.low, cold.interval.high, error);
    return text;
}

int lines_in(const char* file) {
    std::ifstream in(file);
    int count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 7) throw sgemm_ladder::Error("usage: survey SEED COUNT FILE PLUGIN PEDANTIC DEFAULT");
    const uint64_t seed = std::stoull(argv[1]);
    const int count = std::stoi(argv[2]);
    const Plugin plugin(argv[4]), pedantic(argv[5]), by_default(argv[6]);
    const Libraries libraries{&plugin, &pedantic, &by_default};
    const Arena arena;
    fill<<<2048, 256>>>(arena.a, kArena, 1);
    fill<<<2048, 256>>>(arena.b, kArena, 2);
    MUST(cudaDeviceSynchronize());
    std::ofstream out;
    for (int i = lines_in(argv[3]); i < count; ++i) {
        const std::string line = line_of(i, draw(seed, i), libraries, arena);
        if (!out.is_open()) out.open(argv[3], std::ios::app);
        out << line << std::endl;
        std::fprintf(stderr, "\r%d of %d", i + 1, count);
    }
    std::fprintf(stderr, "\n");
} catch (const std::exception& error) {
    std::fprintf(stderr, "survey: %s\n", error.what());
    return 1;
}
