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
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>

#include "../../../abi/loader.hpp"
#include "../graph_race.h"

namespace {

using graph_race::Figure;
using sgemm_ladder::Plugin;

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
    graph_race::Clock clock;
};

solve_gemm_t call_of(const Drawn& drawn, const Arena& arena, float* c) {
    solve_gemm_t call = solve_gemm_one();
    const int64_t skip = drawn.misaligned ? 1 : 0;
    const auto length = [&](int cols) { return drawn.misaligned ? int64_t{cols | 1} : int64_t{cols}; };
    call.M = drawn.M, call.N = drawn.N, call.K = drawn.K;
    call.transpose_a = drawn.transpose_a, call.transpose_b = drawn.transpose_b;
    call.A = arena.a + skip, call.lda = length(drawn.transpose_a ? drawn.M : drawn.N);
    call.B = arena.b + skip, call.ldb = length(drawn.transpose_b ? drawn.N : drawn.K);
    call.C = c + skip, call.ldc = length(drawn.K);
    call.stream = arena.clock.stream;
    call.workspace = arena.workspace, call.workspace_bytes = kWorkspace;
    return call;
}

using Libraries = std::array<const Plugin*, 3>;  // the plugin, then cuBLAS's pedantic and default modes

// The largest difference to pedantic cuBLAS's C, over its largest element.
double difference(const Libraries& libraries, const Drawn& drawn, const Arena& arena) {
    const solve_gemm_t call = call_of(drawn, arena, arena.c), other = call_of(drawn, arena, arena.other);
    libraries[0]->gemm(call);
    libraries[1]->gemm(other);
    return graph_race::difference(call.C, other.C, drawn.M, drawn.K, call.ldc, arena.clock);
}

std::string line_of(int index, const Drawn& drawn, const Libraries& libraries, const Arena& arena) {
    const solve_gemm_t call = call_of(drawn, arena, arena.c);
    const double error = difference(libraries, drawn, arena);
    std::vector<graph_race::Call> calls;
    for (const Plugin* const each : libraries) calls.push_back([each, call] { each->gemm(call); });
    const Figure hot = graph_race::race_twice_if_behind(calls, false, arena.clock);
    const Figure cold = graph_race::race_twice_if_behind(calls, true, arena.clock);
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
    graph_race::fill<<<2048, 256>>>(arena.a, kArena, 1);
    graph_race::fill<<<2048, 256>>>(arena.b, kArena, 2);
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
