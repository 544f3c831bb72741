// Measures on this GPU what 90_table.h holds of each kernel of 90_dispatch.cu, and what comes of choosing by it.
//
// usage: tune ROWS TABLE     writes rows of 90_table.h, and a Markdown table of times; `make tune` calls it
#include "../../../plugins/cuda/90_dispatch.cu"

#include <cmath>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "../microbench/microbench.h"

using namespace rung_90;

namespace {

constexpr const char* kNames[] = {"warp_tile", "cp_async",         "slices_64x128",   "slices_64x64",   "slices_64x32",
                                  "thin",      "stream_k_128x256", "stream_k_64x128", "cluster_slices", "short_sums"};
static_assert(std::size(kNames) == std::size(kKernels));

// The rows and columns of a tile, and how many are resident per SM; rows 0 of a thin kernel, -1 of short sums.
struct TileSize {
    int rows, cols, resident;
};
constexpr TileSize kTiles[] = {{128, 128, 2}, {128, 128, 2}, {64, 128, 1}, {64, 64, 1}, {64, 32, 1},
                               {0, 0, 0},     {128, 256, 1}, {64, 128, 1}, {32, 32, 2}, {-1, 0, 0}};
static_assert(std::size(kTiles) == std::size(kKernels));

struct Shape {
    int M, N, K;
};

// Those of which the results are kept: from small to large, square and not.
constexpr Shape kShapes[] = {{256, 256, 256},    {512, 512, 512},    {768, 768, 768},    {1024, 1024, 1024},
                             {1536, 1536, 1536}, {2048, 2048, 2048}, {2560, 2560, 2560}, {3072, 3072, 3072},
                             {4096, 4096, 4096}, {8192, 8192, 8192}, {1000, 777, 3000},  {1023, 1021, 1031},
                             {4095, 4095, 4095}, {4097, 4095, 4093}, {128, 8192, 8192},  {8192, 8192, 128},
                             {8192, 128, 8192},  {64, 16384, 64},    {1, 4096, 4096},    {4096, 4096, 1},
                             {16, 4096, 4096},   {4096, 1, 4096},    {16384, 256, 256}};

// Uniform on [-1, 1): zeros, or few different values, would take less power.
__global__ void fill(float* to, size_t count, unsigned seed) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
        unsigned x = static_cast<unsigned>(i) * 2654435761u + seed;
        x = (x ^ x >> 15) * 2246822519u;
        to[i] = static_cast<float>(x ^ x >> 13) * (2.0f / 4294967296.0f) - 1.0f;
    }
}

class Bench {
  public:
    Bench() {
        MUST(cudaGetDevice(&device_));
        MUST(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device_));
        int major = 0, minor = 0, kilohertz = 0;
        MUST(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device_));
        MUST(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device_));
        MUST(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device_));
        capability = 10 * major + minor;
        cycles_per_microsecond = kilohertz / 1e3;
        a_ = microbench::allocate<float>(kFloats);
        b_ = microbench::allocate<float>(kFloats);
        c_ = microbench::allocate<float>(kFloats);
        fill<<<1024, 256>>>(a_, kFloats, 1);
        fill<<<1024, 256>>>(b_, kFloats, 7);
        MUST(cudaDeviceSynchronize());
    }

    // On matrices whose rows are all aligned to 16 bytes, or none is.
    ladder::Gemm gemm(const Shape& shape, bool aligned = true) const {
        const int off = aligned ? 0 : 1;
        return {a_ + off, shape.N, b_ + off, shape.K, c_ + off, shape.K, shape.M, shape.N, shape.K};
    }

    // Calls back to back, for some 8 ms; best of five times.
    double microseconds(const std::function<void()>& call) const {
        const double once = microbench::microseconds(2, call);
        return microbench::microseconds(std::max(1, static_cast<int>(8000 / once)), call);
    }

    double microseconds(const Kernel& kernel, const Speed& speed, const ladder::Gemm& task) const {
        return microseconds([&] { kernel.run(speed, task, processors); });
    }

    // The same for another B in each call, so that none is in L2: B has up to half of the floats that there are.
    double microseconds_from_memory(const Kernel& kernel, const Speed& speed, ladder::Gemm task) const {
        const size_t floats = size_t(task.N) * task.K, places = (kFloats - 4) / floats;
        const float* const first = task.B;
        size_t call = 0;
        return microseconds([&] {
            task.B = first + call++ % places * floats;
            kernel.run(speed, task, processors);
        });
    }

    int processors = 1, capability = 0;
    double cycles_per_microsecond = 1;

  private:
    static constexpr size_t kFloats = size_t(1) << 28;  // of each matrix

    int device_ = 0;
    float *a_, *b_, *c_;
};

// Two products, short and long; of tiles, such as occupy all SMs once.
std::pair<Shape, Shape> pair_for(const TileSize& tile, int processors) {
    if (tile.rows == 0) return {{1, 4096, 4096}, {1, 8192, 8192}};
    if (tile.rows < 0) return {{2048, 8, 1024}, {4096, 16, 4096}};
    int down = 1;
    for (int i = 1; i * i <= processors; ++i) {
        if (processors / i * i > processors / down * down || processors % i == 0) down = i;
    }
    const int M = down * tile.rows * tile.resident, K = processors / down * tile.cols;
    return {{M, 512, K}, {M, 4096, K}};
}

// The model is linear in `start` and in 1 / `rate`, so the times of two products give both.
Measured fit(const Bench& bench, const Kernel& kernel, const TileSize& tile) {
    const auto [brief, lengthy] = pair_for(tile, bench.processors);
    const Speed rough{0.7, 6000};      // it deals the tiles out in the same way
    const bool thin = tile.rows == 0;  // memory is all that counts, and what L2 has of B is no part of the model
    const auto cycles = [&](const Shape& shape, bool aligned) {
        const ladder::Gemm task = bench.gemm(shape, aligned);
        const double time =
            thin ? bench.microseconds_from_memory(kernel, rough, task) : bench.microseconds(kernel, rough, task);
        return time * bench.cycles_per_microsecond;
    };
    double per_start[2], per_rate[2], rest[2];
    int i = 0;
    for (const Shape& shape : {brief, lengthy}) {
        const Size size{shape.M, shape.N, shape.K, true, true, true, shape.K, bench.processors};
        const double none = kernel.cycles({1e12, 0}, size);
        per_start[i] = kernel.cycles({1e12, 1000}, size) / 1000 - none / 1000;
        per_rate[i] = kernel.cycles({1, 0}, size) - none;
        rest[i++] = cycles(shape, true) - none;
    }
    const double determinant = per_start[0] * per_rate[1] - per_start[1] * per_rate[0];
    const double start = std::max((rest[0] * per_rate[1] - rest[1] * per_rate[0]) / determinant, 0.0);
    const double of_loop = rest[1] - start * per_start[1];
    const double of_loop_of_words = of_loop + cycles(lengthy, false) - cycles(lengthy, true);
    return {bench.capability, kernel.id, per_rate[1] / of_loop, per_rate[1] / of_loop_of_words, start};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::fprintf(stderr, "usage: %s ROWS TABLE\n", argv[0]), 1;
    const Bench bench;
    cudaDeviceProp properties;
    MUST(cudaGetDeviceProperties(&properties, 0));
    std::ofstream rows(argv[1]), table(argv[2]);
    char text[256];

    std::vector<Measured> measured;
    rows << "    // " << properties.name << "\n";
    for (const Kernel& kernel : kKernels) {
        if (kernel.capability > bench.capability) continue;
        const int index = static_cast<int>(kernel.id);
        const Measured found = fit(bench, kernel, kTiles[index]);
        measured.push_back(found);
        std::snprintf(text, sizeof text, "    {%d, KernelId::%s, %.3f, %.3f, %.0f},\n", bench.capability, kNames[index],
                      found.rate, found.rate_of_words, found.start);
        rows << text;
        std::printf("%s", text);
    }

    table << "| MxNxK |";
    for (const Measured& each : measured) table << " " << kNames[static_cast<int>(each.kernel)] << " |";
    table << " 90_dispatch | which is |\n|---|";
    for (size_t i = 0; i < measured.size() + 1; ++i) table << "--:|";
    table << "---|\n";
    for (const Shape& shape : kShapes) {
        const ladder::Gemm task = bench.gemm(shape);
        const Size size = size_of(task, bench.processors);
        const double work = 2e-6 * shape.M * shape.N * shape.K;  // TFLOP/s if it takes a microsecond
        std::snprintf(text, sizeof text, "| %dx%dx%d |", shape.M, shape.N, shape.K);
        table << text;
        for (const Measured& each : measured) {
            const Kernel& kernel = kKernels[static_cast<int>(each.kernel)];
            const Speed speed = speed_for(each, kernel, size);
            const double expected = kernel.cycles(speed, size) / bench.cycles_per_microsecond;
            if (expected > 1e100) {
                table << " |";
                continue;
            }
            const double found = bench.microseconds(kernel, speed, task);
            std::snprintf(text, sizeof text, " %.1f (%.1f) |", work / found, work / expected);
            table << text;
        }
        const std::vector<Part> parts = parts_of(task, measured, bench.processors);
        const double found = bench.microseconds([&] {
            for (const Part& part : parts) part.choice.kernel->run(part.choice.speed, part.gemm, bench.processors);
        });
        std::snprintf(text, sizeof text, " %.1f |", work / found);
        table << text;
        for (const Part& part : parts) table << " " << kNames[static_cast<int>(part.choice.kernel->id)];
        table << " |\n";
    }
    MUST(cudaDeviceSynchronize());
}
