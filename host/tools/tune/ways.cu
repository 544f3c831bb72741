// Times every way in which 90_dispatch could do a call, at random shapes, beside what is expected of it.
//
//   ways SEED COUNT FILE      FILE gets a line for each way of each shape; ways.py and tune.py call it
//   ways SHAPES FILE          the same at those that are named (survey/named.h)
//
// The shapes are those of the survey (survey/drawn.h), but that three in ten are a batch, that two in five have sizes
// as programs have them, multiples of 4 to 128 or powers of two, some of them equal, and that one in five has a side of
// up to a million. A time is the least of some replays of a CUDA graph of calls back to back, in microseconds. A way
// that is expected to take twice the least of all is not timed. Of `copied` the copying alone is timed, as which
// its work is counted, and as `copied+` all of it.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "../../../plugins/cuda/90_dispatch.cu"
#include "../survey/named.h"

namespace {

using namespace rung_90;

struct Candidate {
    std::string name;
    int blocks;
    double cycles;
    Work work;
    std::function<void()> run;
};

// A size as programs have it: rounded up to a multiple of 4 to 128 or, one in four, to 2^n or 3 * 2^n.
int as_programs_have(int size, uint64_t bits) {
    const int half = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)) / 2);
    const int multiple = bits / 6 % 4 == 0 ? std::max(half, 4) : 4 << bits % 6;
    return size > multiple ? std::min(ladder::ceil_div(size, multiple) * multiple, survey::kLargest) : size;
}

// With one side up to 128 times as long, as far as there is memory for it.
survey::Drawn with_long_side(survey::Drawn drawn, uint64_t bits) {
    int* const sides[] = {&drawn.M, &drawn.N, &drawn.K};
    int& side = *sides[bits % 3];
    const double others = std::max(*sides[(bits + 1) % 3], *sides[(bits + 2) % 3]);
    const double most = std::min(survey::kArena / (others + 1) - 2, 3e11 / drawn.products() * side);
    const double factor = std::exp(static_cast<double>(bits >> 11) * 0x1p-53 * std::log(128.0));
    side = static_cast<int>(std::min(side * factor, most));
    return drawn;
}

// Of three draws in ten a batch of up to 1000, of 20 GFLOP at most, as far as there is memory for it.
int batch_of(const survey::Drawn& drawn, uint64_t seed, int index) {
    if (index % 5 != 4 && index % 10 != 1) return 1;
    std::mt19937_64 bits(seed * 7919 + index);
    const double wanted = std::exp(static_cast<double>(bits() >> 11) * 0x1p-53 * std::log(1000.0));
    const double M = drawn.M + 1, N = drawn.N + 1, K = drawn.K + 1, largest = std::max({M * N, N * K, M * K});
    return std::max(1, static_cast<int>(std::min({wanted, 1e10 / drawn.products(), survey::kArena / largest})));
}

survey::Drawn shape_for(uint64_t seed, int index) {
    survey::Drawn drawn = survey::draw(seed, index);
    std::mt19937_64 bits(seed * 104729 + index);
    if (index % 5 < 2) {
        for (int* size : {&drawn.M, &drawn.N, &drawn.K}) *size = as_programs_have(*size, bits());
        survey::Drawn equal = drawn;
        if (bits() % 4 == 0) equal.K = equal.M;
        if (bits() % 4 == 0) equal.N = equal.K;
        if (equal.products() <= 3e11) drawn = equal;
        drawn.misaligned = false;
    } else if (index % 5 == 2) {
        drawn = with_long_side(drawn, bits());
    }
    drawn.batch = batch_of(drawn, seed, index);
    return drawn;
}

std::vector<survey::Drawn> shapes_asked_for(int argc, char** argv) {
    if (argc == 3) return survey::all_named(argv[1]);
    std::vector<survey::Drawn> shapes;
    for (int i = 0; argc == 4 && i < std::atoi(argv[2]); ++i)
        shapes.push_back(shape_for(std::strtoull(argv[1], nullptr, 10), i));
    return shapes;
}

std::vector<Candidate> candidates(const solve_gemm_t& call, const DeviceFigures& device) {
    std::vector<Candidate> found;
    const CostsOfGpu& costs = ladder::costs_for(device.capability);
    const auto plain = as_plain(call);
    const solve_gemm_t done = plain ? ladder::call_of(*plain) : call;
    for_each_way(done, device, [&](WayId id, int blocks, const Work& work) {
        const double cycles = costs.cycles(id, work, done, device);
        const auto launch = [=] { launch_way(Way{id, blocks, cycles}, done, device, multiply_copied); };
        found.push_back({ladder::name_of(id), blocks, cycles, work, launch});
    });
    if (may_copy(done, device)) {
        for_each_copies(done, [&](rung_89::Copies copies) {
            const Work work = copying_work(done, copies, device);
            const Way way{WayId::copied, number_of(copies), cycles_if_copied(done, copies, costs, device)};
            const auto both = [=] { launch_way(way, done, device, multiply_copied); };
            const auto alone = [=] { rung_89::copy_and_multiply(done, copies, device.sms, false, [](auto&&) {}); };
            found.push_back({"copied+", way.blocks, way.cycles, {}, both});
            found.push_back({"copied", way.blocks, costs.cycles(way.id, work, done, device), work, alone});
        });
    }
    // Last: what is timed first, behind the host's work for all of these, took up to 7 % longer.
    found.push_back({"90", 1, cycles_of_all(call, device), {}, [=] { multiply_all(call); }});
    return found;
}

// Microseconds of a call of many.
double microseconds(const Candidate& candidate, const graph_race::Clock& clock) {
    candidate.run();
    MUST(cudaStreamSynchronize(clock.stream));
    const graph_race::Graph graph(candidate.run, graph_race::calls_that_fill(2e-4, 60, candidate.run, clock), clock);
    double least = 1;
    for (int i = 0; i < 4; ++i) least = std::min(least, graph.replay(false));
    return 1e6 * least;
}

}  // namespace

int main(int argc, char** argv) try {
    const std::vector<survey::Drawn> shapes = shapes_asked_for(argc, argv);
    if (shapes.empty()) return std::fprintf(stderr, "usage: %s SEED COUNT FILE | SHAPES FILE\n", argv[0]), 1;
    std::FILE* const out = std::fopen(argv[argc - 1], "w");
    if (!out) return std::perror(argv[argc - 1]), 1;
    const survey::Arena arena;
    const DeviceFigures device = ladder::current_device();
    for (size_t i = 0; i < shapes.size(); ++i) {
        const survey::Drawn& drawn = shapes[i];
        const solve_gemm_t call = call_of(drawn, arena, arena.c);
        rung_56::launch<rung_56::Medium>(call_of(drawn, arena, arena.other));  // to compare with
        const std::vector<Candidate> all = candidates(call, device);
        double least = ladder::kNever;
        for (const Candidate& each : all) least = std::min(least, each.name == "copied" ? least : each.cycles);
        for (const Candidate& each : all) {
            if (each.name != "90" && each.cycles > 2 * least) continue;
            const double us = microseconds(each, arena.clock);
            const double off = each.name == "copied"
                                   ? 0
                                   : graph_race::difference(call.C, arena.other + (call.C - arena.c),
                                                            drawn.M * drawn.batch, drawn.K, call.ldc, arena.clock);
            std::fprintf(out, "%zu\t%d\t%d\t%d\t%s\t%d\t%d\t%s\t%d\t%.3f\t%.0f\t%.1g\t%d\t", i, drawn.M, drawn.N,
                         drawn.K, drawn.form().c_str(), drawn.misaligned, drawn.batch, each.name.c_str(), each.blocks,
                         us, each.cycles, off, device.memory);
            for (const ladder::Count count : ladder::kCounts) std::fprintf(out, "%.6g ", each.work.*count);
            std::fprintf(out, "\n");
        }
    }
    return std::fclose(out);
} catch (const std::exception& error) {
    std::fprintf(stderr, "ways: %s\n", error.what());
    return 1;
}
