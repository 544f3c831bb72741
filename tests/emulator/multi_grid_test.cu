// 90 of plugins/multi on emulated devices, whose work is deferred: every grid, every way to pass on what was loaded.
#include "../../plugins/multi/90_nccl_grid.cu"

#include "../../host/emulator/runtime/memory.h"
#include "../../host/emulator/runtime/stream.h"
#include "../catch.h"
#include "multi.h"

namespace {

using ladder::GpuGrid;

constexpr Sizes kSizes[] = {{1, 1, 1}, {5, 3, 7}, {130, 33, 70}, {100, 90, 3}, {2, 150, 90}, {67, 200, 66}};
constexpr GpuGrid kGrids[] = {{1, 1}, {1, 2}, {2, 1}, {1, 3}, {2, 2}, {1, 4}, {2, 3}, {2, 4}};

// Buffers of 4 KiB, which most matrices go round several times.
const bool small_buffers = (ladder::PinnedRing::elements() = 1024, true);

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

std::string error_on(const GpuGrid& grid, HostProduct& product) {
    return product.error_of([&](const float* A, const float* B, float* C, int M, int N, int K) {
        rung_multi_90::multiply_on(grid, A, B, C, M, N, K);
    });
}

// With which seeds, so that two tests draw other orders.
void check(const GpuGrid& grid, const Sizes& size, bool pinned, int seed) {
    const Environment deferred("EMULATOR_DEFERRED", seed);
    HostProduct product(size.M, size.N, size.K, pinned);
    INFO(grid.rows << " x " << grid.cols << " GPUs, " << size.M << " x " << size.N << " x " << size.K
                   << (pinned ? ", pinned" : ", pageable") << ", seed " << seed);
    CHECK(error_on(grid, product) == "");
    CHECK(product.wrong() == 0);
}

// A call that makes the GPUs give back everything, by a cap that is too small.
void release_all() {
    const Variable memory("SOLVE_DEVICE_MEMORY", "1");
    HostProduct product(2, 2, 2);
    CHECK(contains(error_on({1, 1}, product), "1 bytes of memory of a GPU are too few"));
}

struct Counts {
    size_t allocations = emulator::live_allocations(), handles = emulator::live_streams_and_events();
    bool operator==(const Counts& other) const { return allocations == other.allocations && handles == other.handles; }
};

}  // namespace

TEST_CASE("the grid is right on every number of GPUs, in every shape and by every exchange") {
    const Environment devices("EMULATOR_DEVICES", 8);
    int seed = 0;
    for (const char* exchange : {"zero-cta", "peer", "nccl"}) {
        const Variable way("SOLVE_EXCHANGE", exchange);
        for (const GpuGrid& grid : kGrids) {
            if (exchange == std::string("nccl") && grid.count() < 8) continue;  // the same calls as without CTAs
            INFO(exchange);
            for (const Sizes& size : kSizes) check(grid, size, ++seed % 2 == 0, seed);
        }
    }
}

TEST_CASE("the grid is right with little memory, where tiles and slabs come one after the other") {
    const Environment devices("EMULATOR_DEVICES", 8);
    int seed = 1000;
    for (const char* cap : {"12K", "40K"}) {
        const Variable memory("SOLVE_DEVICE_MEMORY", cap);
        for (const GpuGrid& grid : {GpuGrid{1, 1}, GpuGrid{2, 2}, GpuGrid{2, 4}}) {
            for (const char* exchange : {"zero-cta", "peer"}) {
                const Variable way("SOLVE_EXCHANGE", exchange);
                check(grid, {75, 60, 50}, ++seed % 4 < 2, seed);
                check(grid, {260, 2, 250}, true, ++seed);  // a slab for each of many tiles
            }
        }
    }
}

TEST_CASE("many seeds, of the long tests") {
    if (!std::getenv("TEST_ALL")) return;
    const Environment devices("EMULATOR_DEVICES", 4);
    const Variable memory("SOLVE_DEVICE_MEMORY", "40K");
    for (int seed = 2000; seed < 2400; ++seed) {
        const Variable way("SOLVE_EXCHANGE", seed % 4 < 2 ? "peer" : "zero-cta");
        check({2, 2}, {67, 90, 66}, seed % 2 == 0, seed);
    }
}

TEST_CASE("what NCCL refuses, or never finishes, is an error, leaves nothing behind, and the next call is right") {
    const Environment devices("EMULATOR_DEVICES", 4), deferred("EMULATOR_DEFERRED", 9);
    const Variable way("SOLVE_EXCHANGE", "zero-cta");
    release_all();
    const Counts before;
    const struct {
        const char *variable, *text;
    } failures[] = {{"EMULATOR_NCCL_FAIL", "NCCL 22809: ncclAllGather: internal error: as EMULATOR_NCCL_FAIL says"},
                    {"EMULATOR_NCCL_STALL", "NCCL 22809: a collective: remote process exited"}};
    for (const auto& [variable, text] : failures) {
        for (const int call : {1, 6, 20}) {
            HostProduct product(67, 200, 66);
            {
                const Environment failing(variable, call);
                const std::string error = error_on({2, 2}, product);
                INFO(variable << "=" << call << ": " << error);
                CHECK(contains(error, text));
            }
            CHECK(Counts() == before);
            CHECK(error_on({2, 2}, product) == "");
            CHECK(product.wrong() == 0);
            release_all();
        }
    }
}

TEST_CASE("where NCCL is not there the GPUs copy from each other, and one GPU needs neither") {
    const Environment devices("EMULATOR_DEVICES", 2), deferred("EMULATOR_DEFERRED", 3);
    const auto way_of = [](bool there, int gpus, const char* asked) {
        ladder::NcclFound found;
        if (!there) found.problem = "libnccl.so.2 is not there";
        found.nccl = ladder::look_for_nccl().nccl;
        const Variable way("SOLVE_EXCHANGE", asked);
        return ladder::choose_exchange(gpus, found, false).exchange;
    };
    using ladder::Exchange;
    CHECK(way_of(true, 2, "") == Exchange::zero_cta);
    CHECK(way_of(false, 2, "") == Exchange::peer);
    CHECK(way_of(true, 1, "") == Exchange::none);
    CHECK(way_of(true, 2, "nccl") == Exchange::nccl);
    CHECK_THROWS_WITH(way_of(false, 2, "nccl"), "SOLVE_EXCHANGE=nccl: libnccl.so.2 is not there");
    CHECK_THROWS_WITH(way_of(true, 2, "mpi"), "SOLVE_EXCHANGE=mpi: zero-cta, peer or nccl is expected");
    const Environment none("EMULATOR_NO_NCCL", 1);
    CHECK(ladder::look_for_nccl().problem == "libnccl.so.2 is not there");
}

TEST_CASE("memory of a GPU that runs out in the grid is an error on all, and leaves nothing behind") {
    const Environment devices("EMULATOR_DEVICES", 4);
    release_all();
    const Counts before;
    void* others = nullptr;
    HostProduct product(67, 90, 66);
    {
        const Environment memory("EMULATOR_DEVICE_MEMORY", 4096);
        cudaMalloc(&others, 4000);
        CHECK(contains(error_on({2, 2}, product), "bytes of memory of a GPU are too few"));
    }
    cudaFree(others);
    CHECK(Counts() == before);
    CHECK(error_on({2, 2}, product) == "");
    CHECK(product.wrong() == 0);
    release_all();
}
