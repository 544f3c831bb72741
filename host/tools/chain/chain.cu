// Races 90_chain against two cuBLAS products at E = A * B * C with square matrices, in CUDA graphs.
//
//   chain_graphs CHAIN PEDANTIC DEFAULT [CHAIN...]
//
// are libraries: one with solve_chain_enqueue, two with solve_gemm; then other chains, which take part and are no
// rival.
//
// Prints a line a size: n, the microseconds of CHAIN and of two calls of PEDANTIC and of DEFAULT, how many times faster
// CHAIN is than the faster of the two and the interval that holds that with 95 %, the largest difference of its E to
// PEDANTIC's over the largest element; then the microseconds of the others. Times are of graphs of many calls, back to
// back: graph_race.h.
#include <memory>

#include "../../../abi/loader.hpp"
#include "../graph_race.h"

namespace {

using graph_race::Call;
using sgemm_ladder::Plugin;

constexpr int kSizes[] = {128, 256, 512, 1024, 2048};
constexpr int kLargest = 2048;
constexpr size_t kElements = size_t{kLargest} * kLargest;
constexpr size_t kWorkspace = size_t{64} << 20;  // lent to each call, as PyTorch lends cuBLAS some

struct Arena {
    float *a = microbench::allocate<float>(kElements), *b = microbench::allocate<float>(kElements),
          *c = microbench::allocate<float>(kElements), *between = microbench::allocate<float>(kElements),
          *e = microbench::allocate<float>(kElements), *other = microbench::allocate<float>(kElements);
    char* workspace = microbench::allocate<char>(kWorkspace);
    graph_race::Clock clock;
};

Call chain_of(const Plugin& plugin, int n, float* E, const Arena& arena) {
    solve_chain_t call = solve_chain_one();
    call.M = call.N = call.K = call.L = n;
    call.lda = call.ldb = call.ldc = call.lde = n;
    call.A = arena.a, call.B = arena.b, call.C = arena.c, call.E = E;
    call.stream = arena.clock.stream;
    call.workspace = arena.workspace, call.workspace_bytes = kWorkspace;
    return [&plugin, call] { plugin.chain(call); };
}

Call two_products_of(const Plugin& plugin, int n, float* E, const Arena& arena) {
    solve_gemm_t first = solve_gemm_one();
    first.M = first.N = first.K = n;
    first.lda = first.ldb = first.ldc = n;
    first.A = arena.a, first.B = arena.b, first.C = arena.between;
    first.stream = arena.clock.stream;
    first.workspace = arena.workspace, first.workspace_bytes = kWorkspace;
    solve_gemm_t second = first;
    second.A = arena.between, second.B = arena.c, second.C = E;
    return [&plugin, first, second] { plugin.gemm(first), plugin.gemm(second); };
}

void print_size(int n, const Plugin& chain, const Plugin& pedantic, const Plugin& by_default,
                const std::vector<std::unique_ptr<Plugin>>& others, const Arena& arena) {
    const std::vector<Call> racers{chain_of(chain, n, arena.e, arena), two_products_of(pedantic, n, arena.other, arena),
                                   two_products_of(by_default, n, arena.e, arena)};
    for (const Call& each : racers) each();
    racers[0]();  // the third one writes E too
    const double error = graph_race::difference(arena.e, arena.other, n, n, n, arena.clock);
    const graph_race::Figure hot = graph_race::race_twice_if_behind(racers, false, arena.clock);
    std::printf("%d\t%.4g\t%.4g\t%.4g\t%.4f\t%.4f\t%.4f\t%.2g", n, 1e6 * hot.seconds[0], 1e6 * hot.seconds[1],
                1e6 * hot.seconds[2], hot.ratio, hot.interval.low, hot.interval.high, error);
    for (const auto& each : others) {
        const std::vector<Call> two{chain_of(*each, n, arena.e, arena), racers[1]};
        std::printf("\t%.4g", 1e6 * graph_race::race_twice_if_behind(two, false, arena.clock).seconds[0]);
    }
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 4) throw sgemm_ladder::Error("usage: chain_graphs CHAIN PEDANTIC DEFAULT [CHAIN...]");
    const Plugin chain(argv[1]), pedantic(argv[2]), by_default(argv[3]);
    std::vector<std::unique_ptr<Plugin>> others;
    for (int i = 4; i < argc; ++i) others.push_back(std::make_unique<Plugin>(argv[i]));
    const Arena arena;
    uint32_t seed = 0;
    for (float* const matrix : {arena.a, arena.b, arena.c}) {
        graph_race::fill<<<2048, 256>>>(matrix, kElements, ++seed);
    }
    MUST(cudaDeviceSynchronize());
    for (const int n : kSizes) print_size(n, chain, pedantic, by_default, others, arena);
} catch (const std::exception& error) {
    std::fprintf(stderr, "chain_graphs: %s\n", error.what());
    return 1;
}
