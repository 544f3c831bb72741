// What 90 of plugins/multi expects of its schedules: the model against what was measured, and what it chooses.
#include "../../plugins/multi/90_schedule.h"

#include <numeric>

#include "../catch.h"

namespace {

using namespace rung_multi_90;

Round cube(int n, const ladder::GpuGrid& grid) {
    return {n / grid.rows, n, n / grid.cols, grid};
}

double speed(const Round& round, const Schedule& schedule) {
    const double operations = 2.0 * round.rows * round.terms * round.cols * round.grid.count();
    return 1e-12 * operations / CostModel(Machine{}, round).seconds(schedule);
}

Schedule chosen(const Round& round) {
    return choose_schedule(Machine{}, round, std::min(round.terms, 8192));
}

int sum(const std::vector<int>& slabs) {
    return std::accumulate(slabs.begin(), slabs.end(), 0);
}

}  // namespace

TEST_CASE("the model tells within 3 % what was measured of the schedule before: doubling slabs, the rest at the end") {
    const struct {
        int gpus, n;
        double measured;  // TFLOP/s, H200, pinned memory
    } runs[] = {{1, 8192, 44.6}, {1, 16384, 51.1}, {1, 32768, 52.7},
                {2, 8192, 86.6}, {2, 16384, 98.5}, {2, 32768, 105.4}};
    for (const auto& [gpus, n, measured] : runs) {
        const Round round = cube(n, {1, gpus});
        const Schedule before{ladder::slabs_of(n, 8192), {Chunks::equal, 8}};
        INFO(gpus << " GPUs, " << n);
        CHECK(speed(round, before) / measured == Approx(1).margin(0.03));
    }
}

TEST_CASE("and within 5 % what other slabs took on four H100: the mean of two ways from GPU to GPU, 8192") {
    const struct {
        std::vector<int> slabs;
        double ms;
    } runs[] = {{{128, 256, 512, 1024, 2048, 4224}, 6.38},
                {{256, 1024, 2048, 4864}, 6.75},
                {{512, 1536, 6144}, 7.70},
                {{128, 512, 2048, 5504}, 7.51},
                {{384, 1152, 2560, 4096}, 6.67},
                {{1024, 2048, 5120}, 7.27},
                {{256, 512, 1024, 2048, 4352}, 6.85},
                {{640, 960, 1408, 2112, 3072}, 6.09},
                {{256, 384, 576, 832, 1216, 1792, 3136}, 6.13}};
    for (const auto& [slabs, ms] : runs) {
        INFO(slabs.size() << " slabs, the first one of " << slabs.front());
        CHECK(1e3 * CostModel(Machine{}, cube(8192, {2, 2})).seconds({slabs, {Chunks::equal, 8}}) / ms ==
              Approx(1).margin(0.05));
    }
}

TEST_CASE("what is predicted of the schedules that are chosen") {
    const struct {
        ladder::GpuGrid grid;
        int n;
        double predicted;  // TFLOP/s
    } runs[] = {{{1, 1}, 8192, 51.2},   {{1, 1}, 16384, 55.2},  {{1, 1}, 32768, 56.0}, {{1, 2}, 8192, 100.5},
                {{1, 2}, 16384, 110.1}, {{1, 2}, 32768, 111.9}, {{2, 2}, 8192, 186.4}, {{2, 2}, 16384, 218.4},
                {{2, 2}, 32768, 223.5}, {{2, 2}, 65536, 224.8}};
    for (const auto& [grid, n, predicted] : runs) {
        const Round round = cube(n, grid);
        INFO(grid.rows << " x " << grid.cols << " GPUs, " << n);
        CHECK(speed(round, chosen(round)) == Approx(predicted).margin(0.06));
    }
}

TEST_CASE("what is predicted of several hosts of four GPUs each") {
    const struct {
        int hosts, rows, n;  // rows of C of each host, and N and K
        double predicted;    // TFLOP/s of all: nobody has measured them
    } runs[] = {{8, 8192, 65536, 1778},   {16, 4096, 65536, 2537},   {64, 1024, 65536, 2662}, {16, 8192, 131072, 3584},
                {64, 2048, 131072, 5476}, {64, 32768, 32768, 14216}, {64, 4096, 32768, 8346}};
    for (const auto& [hosts, rows, n, predicted] : runs) {
        Round round{rows / 2, n, n / 2, {2, 2}};
        round.hosts = hosts;
        INFO(hosts << " hosts with " << rows << " rows each, N = K = " << n);
        CHECK(hosts * speed(round, chosen(round)) == Approx(predicted).epsilon(0.001));
    }
}

TEST_CASE("the first slab of a large product is short, the last one the longest, and the last rows of C are few") {
    const Round round = cube(32768, {1, 1});
    const Schedule schedule = chosen(round);
    CHECK(schedule.slabs.front() <= 512);
    CHECK(schedule.slabs.back() > 7000);
    CHECK(schedule.chunks.kind == Chunks::halving);
    CHECK(chunk_of(schedule.chunks, round.rows, 0).count == 16384);
    CHECK(chunk_of(schedule.chunks, round.rows, schedule.chunks.count - 1).count == 128);
}

TEST_CASE("where C's way back takes longer than the computing its first chunk is the smallest") {
    const Round round{65536, 512, 32768, {1, 2}};
    const Schedule schedule = chosen(round);
    CHECK(schedule.chunks.kind == Chunks::doubling);
    CHECK(chunk_of(schedule.chunks, round.rows, 0).count < 1024);
}

TEST_CASE("between two rounds nothing is cut short: the computing of the one hides the copies of the other") {
    Round round = cube(32768, {1, 1});
    round.is_first = round.is_last = false;
    const Schedule schedule = chosen(round);
    CHECK(schedule.slabs == std::vector<int>(4, 8192));
    CHECK(schedule.chunks.count == 1);
}

TEST_CASE("slabs are all of the contraction, none too long, and all but the first are multiples of 64") {
    for (const int terms : {1, 2, 63, 64, 65, 100, 127, 128, 1000, 8192, 8193, 16383, 65535}) {
        for (const int most : {1, 7, 63, 64, 1000, 8192}) {
            for (const bool is_first : {true, false}) {
                const Round round{4096, terms, 4096, {1, 1}, false, false, false, is_first, true};
                const std::vector<int> slabs = choose_schedule(Machine{}, round, std::min(terms, most)).slabs;
                INFO(terms << " terms, " << most << " at the most");
                CHECK(sum(slabs) == terms);
                CHECK(*std::min_element(slabs.begin(), slabs.end()) > 0);
                CHECK(*std::max_element(slabs.begin(), slabs.end()) <= most);
                if (most < 64) continue;
                CHECK(std::all_of(slabs.begin() + 1, slabs.end(), [](int each) { return each % 64 == 0; }));
            }
        }
    }
}

TEST_CASE("chunks are all rows of a tile, in their order") {
    for (const Chunks::Kind kind : {Chunks::equal, Chunks::tapered, Chunks::halving, Chunks::doubling}) {
        for (int count = 1; count <= kMostChunks; ++count) {
            for (const int rows : {0, 1, 2, 5, 17, 100, 4096, 32767}) {
                int next = 0;
                INFO("kind " << kind << ", " << count << " chunks of " << rows << " rows");
                for (int chunk = 0; chunk < count; ++chunk) {
                    const Share share = chunk_of({kind, count}, rows, chunk);
                    CHECK((share.begin == next && share.count >= 0));
                    next = share.begin + share.count;
                }
                CHECK(next == rows);
            }
        }
    }
}
