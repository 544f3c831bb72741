// Times every way in which 90_dispatch could do a call, at shapes that nobody chose, beside what its models say.
//
//   ways SEED COUNT FILE      FILE gets a line for each way of each shape; `make ways SEED=7` calls it
//
// The shapes are those of the survey (survey/drawn.h). A time is the least of some replays of a CUDA graph of calls
// back to back, in microseconds. A way whose model says six times the least of all is not timed.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "../../../plugins/cuda/90_dispatch.cu"
#include "../survey/drawn.h"

namespace {

struct Candidate {
    std::string name;
    double cycles;
    std::function<void()> run;
};

const char* const kNames[] = {"warp_tile", "cp_async",         "slices_64x128",   "slices_64x64",   "slices_64x32",
                              "thin",      "stream_k_128x256", "stream_k_64x128", "cluster_slices", "short_sums"};
static_assert(std::size(kNames) == std::size(rung_90::kKernels));

template <class T>
void add_79(std::vector<Candidate>& found, const char* name, const solve_gemm_t& call, int sms) {
    const double tiles = double(rung_79::tiles_of<T>(call.M, call.K)), M = call.M, N = call.N, K = call.K;
    for (int blocks = 1; blocks <= ladder::kMostOfCluster; blocks *= 2) {
        if (blocks > 1 && tiles > 2 * sms) break;
        found.push_back({"79_" + std::string(name) + "/" + std::to_string(blocks),
                         ladder::clusters_cycles<T>(rung_79::kSpeed, tiles, call.N, M * N + N * K + M * K, blocks, sms),
                         [=] { rung_79::launch<T>(call, blocks); }});
    }
}

// Each tile, and the best one with all of C or none of it evict-first.
void add_77(std::vector<Candidate>& found, const solve_gemm_t& call, int sms) {
    if (call.N > rung_77::kChunk) return;
    const double l2 = ladder::current_device().l2;
    const auto add = [&](const ladder::ShortConfig& config, const char* suffix, float evict_first) {
        const std::string tile = std::to_string(config.tile.m) + "x" + std::to_string(config.tile.k);
        found.push_back({"77_" + tile + (config.turned ? "_turned" : "") + suffix, config.cycles(call, sms, l2),
                         [=, &config] { config.launch(call, evict_first); }});
    };
    const double bytes = sizeof(float) * double(call.M) * call.K;
    const float part = ladder::evict_first_fraction(bytes);
    for (const ladder::ShortConfig& config : rung_77::kConfigs) {
        if (ladder::fits(config, call)) add(config, "", part);
    }
    const ladder::ShortConfig& best = *ladder::choose_short(rung_77::kConfigs, call, sms).config;
    if (part > 0) add(best, "_all_evict_first", 1), add(best, "_none_evict_first", 0);
}

std::vector<Candidate> candidates(const solve_gemm_t& call, const ladder::DeviceFigures& device) {
    using namespace rung_90;
    std::vector<Candidate> found;
    const auto rows = rows_for(device.capability);
    const int sms = device.sms;
    found.push_back({"90", cycles_of_all(call, device), [=] { multiply_all(call); }});
    if (const auto plain = as_plain(call)) {
        const ladder::Gemm gemm = *plain;
        const Size size = size_of(gemm, sms);
        for (const Measured& each : rows) {
            const Kernel& kernel = kKernels[static_cast<int>(each.kernel)];
            const Speed speed = speed_for(each, kernel, size);
            found.push_back({kNames[static_cast<int>(each.kernel)], kernel.cycles(speed, size),
                             [=, &kernel] { kernel.run(speed, gemm, sms); }});
        }
    }
    found.push_back({"plain_large", cycles_of_plain<rung_56::Large>(0.6, call, sms),
                     [=] { rung_56::launch<rung_56::Large>(call); }});
    found.push_back({"plain_medium", cycles_of_plain<rung_56::Medium>(0.5, call, sms),
                     [=] { rung_56::launch<rung_56::Medium>(call); }});
    found.push_back({"plain_small", cycles_of_plain<rung_56::Small>(0.2, call, sms),
                     [=] { rung_56::launch<rung_56::Small>(call); }});
    if (call.transpose_a || call.transpose_b) {
        Speed large{}, small{};
        for (const Measured& row : rows) {
            if (row.kernel == KernelId::stream_k_128x256) large = {row.rate * rate_of_form(call, true), row.start};
            if (row.kernel == KernelId::stream_k_64x128) small = {row.rate * rate_of_form(call, false), row.start};
        }
        const rung_88::Choice walk = rung_88::choose(large, small, call, sms);
        found.push_back({"walk", walk.plan.cycles, [=] { walk.launch(call, walk.plan.partition, sms); }});
        if (rung_89::can_turn(call)) {
            const double turning = cycles_of_turning(call) + choose(rung_89::turned(call), rows, sms).cycles;
            found.push_back({"turned", turning, [=] { rung_89::turn_and_multiply(call, sms, multiply); }});
        }
    }
    add_77(found, call, sms);
    add_79<rung_79::Small>(found, "32x32", call, sms);
    add_79<rung_79::Wide>(found, "32x64", call, sms);
    add_79<rung_79::Alone>(found, "32x64_alone", call, sms);
    add_79<rung_79::FewRows>(found, "8x32", call, sms);
    add_79<rung_79::FewColumns>(found, "32x8", call, sms);
    return found;
}

// Microseconds of a call of many.
double microseconds(const Candidate& candidate, const graph_race::Clock& clock) {
    candidate.run();
    MUST(cudaStreamSynchronize(clock.stream));
    const graph_race::Graph one(candidate.run, 1, clock);
    one.replay(false);
    const double once = std::min(one.replay(false), one.replay(false));
    const graph_race::Graph graph(candidate.run, std::clamp(static_cast<int>(2e-4 / once), 1, 60), clock);
    double least = 1;
    for (int i = 0; i < 4; ++i) least = std::min(least, graph.replay(false));
    return 1e6 * least;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return std::fprintf(stderr, "usage: %s SEED COUNT FILE\n", argv[0]), 1;
    const survey::Arena arena;
    const ladder::DeviceFigures device = ladder::current_device();
    std::FILE* const out = std::fopen(argv[3], "w");
    if (!out) return std::perror(argv[3]), 1;
    for (int i = 0; i < std::atoi(argv[2]); ++i) {
        const survey::Drawn drawn = survey::draw(std::strtoull(argv[1], nullptr, 10), i);
        const solve_gemm_t call = call_of(drawn, arena, arena.c), other = call_of(drawn, arena, arena.other);
        rung_56::launch<rung_56::Medium>(other);  // what all others are held against
        const std::vector<Candidate> all = candidates(call, device);
        double least = ladder::kNever;
        for (const Candidate& each : all) least = std::min(least, each.cycles);
        for (const Candidate& each : all) {
            if (each.cycles > 6 * least) continue;
            const double us = microseconds(each, arena.clock);
            const double off = graph_race::difference(call.C, other.C, drawn.M, drawn.K, call.ldc, arena.clock);
            std::fprintf(out, "%d\t%d\t%d\t%d\t%s\t%d\t%s\t%.3f\t%.0f\t%.1g\n", i, drawn.M, drawn.N, drawn.K,
                         drawn.form().c_str(), drawn.misaligned, each.name.c_str(), us, each.cycles, off);
        }
    }
    return std::fclose(out);
}
