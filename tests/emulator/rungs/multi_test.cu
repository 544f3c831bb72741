// The rungs of plugins/multi on emulated devices, whose work is deferred: 10 and 20.
#include "../../../plugins/multi/10_rows.cu"
#include "../../../plugins/multi/20_streamed.cu"

#include "../../../host/emulator/runtime/memory.h"
#include "../../../host/emulator/runtime/stream.h"
#include "../../catch.h"
#include "multi.h"

namespace {

constexpr Sizes kSizes[] = {{1, 1, 1}, {5, 3, 7}, {33, 70, 40}, {100, 9, 3}, {2, 150, 90}, {67, 45, 66}};

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

// Buffers of 4 KiB, which every matrix but the smallest goes round several times.
const bool small_buffers = (ladder::PinnedRing::elements() = 1024, true);

template <class Multiply>
void check_all(Multiply multiply, std::initializer_list<const char*> caps) {
    int seed = 0;
    for (const char* cap : caps) {
        const Variable memory("SOLVE_DEVICE_MEMORY", cap);
        for (const Sizes& size : kSizes) {
            for (const bool pinned : {false, true}) {
                const Environment deferred("EMULATOR_DEFERRED", ++seed);
                HostProduct product(size.M, size.N, size.K, pinned);
                INFO(size.M << " x " << size.N << " x " << size.K << (pinned ? ", pinned" : ", pageable") << ", cap "
                            << cap << ", seed " << seed);
                CHECK(product.error_of(multiply) == "");
                CHECK(product.wrong() == 0);
            }
        }
    }
}

}  // namespace

TEST_CASE("rows on each GPU: right with one to five GPUs, and all memory is given back") {
    const Environment devices("EMULATOR_DEVICES", 5);
    const size_t before = emulator::live_allocations();
    for (const char* gpus : {"1", "2", "5"}) {
        const Variable count("SOLVE_GPUS", gpus);
        check_all(rung_multi_10::multiply, {"1M"});
    }
    CHECK(emulator::live_allocations() == before);
}

TEST_CASE("streamed through one GPU: right with memory for all, for a few tiles, and for many") {
    check_all(rung_multi_20::multiply, {"1G", "64K", "12K"});
    const Variable memory("SOLVE_DEVICE_MEMORY", "2048"), threads("SOLVE_HOST_THREADS", "3");
    HostProduct product(9, 5, 8);
    CHECK(product.error_of(rung_multi_20::multiply) == "");
    CHECK(product.wrong() == 0);
}

TEST_CASE("settings that are none, GPUs that are missing and memory that is too small are errors with a reason") {
    const Environment devices("EMULATOR_DEVICES", 2);
    const auto error_with = [](const char* name, const char* value, auto multiply) {
        const Variable variable(name, value);
        HostProduct product(20, 30, 40);
        return product.error_of(multiply);
    };
    CHECK(error_with("SOLVE_DEVICE_MEMORY", "1", rung_multi_20::multiply) != "");  // what was kept is freed
    const size_t allocations = emulator::live_allocations(), handles = emulator::live_streams_and_events();
    for (const auto multiply : {rung_multi_10::multiply, rung_multi_20::multiply}) {
        CHECK(error_with("SOLVE_GPUS", "3", multiply) == "SOLVE_GPUS=3, but GPUs that are visible: 2");
        CHECK(error_with("SOLVE_GPUS", "two", multiply) == "SOLVE_GPUS=two: a number of at least 1 is expected");
        CHECK(error_with("SOLVE_GPUS", "0", multiply) == "SOLVE_GPUS=0: a number of at least 1 is expected");
        CHECK(error_with("SOLVE_GPUS", "1x", multiply) == "SOLVE_GPUS=1x: a number is expected");
        CHECK(error_with("SOLVE_HOST_THREADS", "5000", multiply) == "SOLVE_HOST_THREADS=5000: at most 1024");
        CHECK(error_with("SOLVE_DEVICE_MEMORY", "8GB", multiply) ==
              "SOLVE_DEVICE_MEMORY=8GB: bytes are expected, or a number with K, M or G");
        CHECK(error_with("SOLVE_DEVICE_MEMORY", "99999999999G", multiply) ==
              "SOLVE_DEVICE_MEMORY=99999999999G: bytes are expected, or a number with K, M or G");
    }
    CHECK(error_with("SOLVE_DEVICE_MEMORY", "5K", rung_multi_10::multiply) ==
          "GPU 0: 7936 bytes are needed, and 5120 there: 20_streamed needs less than all of B");
    CHECK(error_with("SOLVE_DEVICE_MEMORY", "1K", rung_multi_20::multiply) ==
          "1024 bytes of memory of a GPU are too few: 1536 are the least (SOLVE_DEVICE_MEMORY)");
    CHECK(emulator::live_allocations() == allocations);
    CHECK(emulator::live_streams_and_events() == handles);
}

TEST_CASE("memory of a GPU that runs out is an error, leaves nothing behind, and the next call is right") {
    const size_t handles = emulator::live_streams_and_events();
    HostProduct product(60, 50, 40);
    {
        const Environment memory("EMULATOR_DEVICE_MEMORY", 16000);
        const std::string error = product.error_of(rung_multi_10::multiply);
        INFO(error);
        CHECK(contains(error, "bytes are needed"));
    }
    CHECK(emulator::live_streams_and_events() == handles);
    CHECK(product.error_of(rung_multi_10::multiply) == "");
    CHECK(product.wrong() == 0);
}
