// Races a plugin against cuBLAS's two FP32 modes at random shapes, which are drawn from a seed; timed on the GPU.
//
//   survey SEED COUNT FILE PLUGIN PEDANTIC DEFAULT    libraries with solve_gemm; FILE gets a line a shape, at once
//   survey SHAPES FILE PLUGIN PEDANTIC DEFAULT        the same at shapes that are named (named.h)
//   survey SHAPES FILE PLUGIN                         its own NN, NT, TN and TT against each other: four times, hot
//
// The shapes: drawn.h. A run that was cut off goes on where FILE ends.
//
// A time: of a replay of a CUDA graph, by events. Hot: a graph of so many calls that it takes 0.3 ms, back to back.
// Cold: a graph of one call, behind a kernel that fills L2 with something else. A block takes the three libraries one
// after the other, the next one backwards; the ratio of a block is the faster mode's time over the plugin's, the
// interval holds the median of the blocks' with 95 %. Where that interval lies below 1, it is measured once more, and
// the better of the two counts: a shape is behind if it is so twice.
#include <cstdint>
#include <deque>
#include <fstream>
#include <string>

#include "../../../abi/loader.hpp"
#include "../graph_race.h"
#include "named.h"

namespace {

using graph_race::Figure;
using sgemm_ladder::Plugin;

using survey::Arena, survey::Drawn;
using Libraries = std::deque<Plugin>;  // the plugin, then cuBLAS's pedantic and default modes

// The largest difference to pedantic cuBLAS's C, over its largest element.
double difference(const Libraries& libraries, const Drawn& drawn, const Arena& arena) {
    const solve_gemm_t call = call_of(drawn, arena, arena.c), other = call_of(drawn, arena, arena.other);
    libraries[0].gemm(call);
    libraries[1].gemm(other);
    return graph_race::difference(call.C, other.C, drawn.M * drawn.batch, drawn.K, call.ldc, arena.clock);
}

std::string line_of(int index, const Drawn& drawn, const Libraries& libraries, const Arena& arena) {
    const solve_gemm_t call = call_of(drawn, arena, arena.c);
    const double error = difference(libraries, drawn, arena);
    std::vector<graph_race::Call> calls;
    for (const Plugin& each : libraries) calls.push_back([&each, call] { each.gemm(call); });
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

// The time of each form of a product, in one race: of forms that are timed one after the other the later ones are up to
// 3 % slower, since the GPU is warmer by then and its clock lower (6792 x 5449 x 6442).
std::string line_of_forms(int index, const Drawn& drawn, const Plugin& plugin, const Arena& arena) {
    std::vector<graph_race::Call> calls;
    for (int form = 0; form < 4; ++form) {
        Drawn each = drawn;
        each.transpose_a = form / 2, each.transpose_b = form % 2;
        const solve_gemm_t call = call_of(each, arena, arena.c);
        calls.push_back([&plugin, call] { plugin.gemm(call); });
    }
    const std::vector<int> many = graph_race::calls_in_graphs(calls, false, arena.clock);
    std::string line = std::to_string(index);
    char text[32];
    for (const double seconds : graph_race::race(calls, many, false, arena.clock).seconds) {
        std::snprintf(text, sizeof(text), "\t%.5g", 1e6 * seconds);
        line += text;
    }
    return line;
}

int lines_in(const std::string& file) {
    std::ifstream in(file);
    int count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
}

}  // namespace

int main(int argc, char** argv) try {
    const std::vector<std::string> given(argv + 1, argv + argc);
    if (given.size() != 3 && given.size() != 5 && given.size() != 6)
        throw sgemm_ladder::Error("usage: survey (SEED COUNT | SHAPES) FILE PLUGIN [PEDANTIC DEFAULT]");
    const bool drawn = given.size() == 6;
    std::vector<Drawn> shapes;
    if (!drawn) shapes = survey::all_named(given[0]);
    for (int i = 0; drawn && i < std::stoi(given[1]); ++i) shapes.push_back(survey::draw(std::stoull(given[0]), i));
    const std::string& file = given[drawn ? 2 : 1];
    Libraries libraries;
    for (size_t i = drawn ? 3 : 2; i < given.size(); ++i) libraries.emplace_back(given[i]);
    const Arena arena;
    std::ofstream out;
    for (size_t i = lines_in(file); i < shapes.size(); ++i) {
        const std::string line = libraries.size() == 1 ? line_of_forms(i, shapes[i], libraries[0], arena)
                                                       : line_of(i, shapes[i], libraries, arena);
        if (!out.is_open()) out.open(file, std::ios::app);
        out << line << std::endl;
        std::fprintf(stderr, "\r%zu of %zu", i + 1, shapes.size());
    }
    std::fprintf(stderr, "\n");
} catch (const std::exception& error) {
    std::fprintf(stderr, "survey: %s\n", error.what());
    return 1;
}
