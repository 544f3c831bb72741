// The rungs of plugins/multi on emulated devices, whose work is deferred: 10 and 20.
#include "../../../plugins/multi/10_rows.cu"
#include "../../../plugins/multi/20_streamed.cu"

#include "../../../host/emulator/runtime/memory.h"
#include "../../../host/emulator/runtime/stream.h"
#include "../../catch.h"
#include "multi.h"

namespace {

constexpr Sizes kSizes[] = {{1, 1, 1}, {5, 3, 7}, {33, 70, 40}, {100, 9, 3}, {2, 150, 90}, {67, 45, 66}};

using ladder::Gpu;

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

// Buffers of 4 KiB, so that every matrix but the smallest makes several pieces.
const bool small_buffers = (ladder::PinnedBuffer::elements() = 1024, true);

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

// Rows of elements that are all different, with some behind each row that are none of the matrix.
struct Rows {
    Rows(int rows, int cols, int padding, float first)
        : rows(rows), cols(cols), ld(cols + padding), elements(size_t(rows) * ld) {
        for (size_t i = 0; i < elements.size(); ++i) elements[i] = first + static_cast<float>(i);
    }
    ladder::Part<float> part() { return {elements.data(), ld, rows, cols}; }
    ladder::Part<const float> constant() const { return {elements.data(), ld, rows, cols}; }

    int rows, cols;
    int64_t ld;
    std::vector<float> elements;
};

// Elements of `there` that are not those of `here`, or that are none of the matrix and have changed.
int wrong_in(const Rows& there, const Rows& here, const Rows& before) {
    int wrong = 0;
    for (int row = 0; row < there.rows; ++row) {
        for (int64_t col = 0; col < there.ld; ++col) {
            const float want =
                col < there.cols ? here.elements[row * here.ld + col] : before.elements[row * before.ld + col];
            wrong += there.elements[row * there.ld + col] != want;
        }
    }
    return wrong;
}

// To several GPUs and back: elements that are wrong.
int wrong_after_copies(int threads) {
    constexpr Sizes kParts[] = {{37, 0, 29}, {1, 0, 2500}, {700, 0, 3}, {5, 0, 1024}, {64, 0, 65}, {0, 0, 9}};
    constexpr int kGpus = 3;
    ladder::PinnedBuffers buffers;
    std::deque<Gpu> gpus;
    for (int i = 0; i < kGpus; ++i) gpus.emplace_back(i).reserve(1 << 20);
    const auto wait = [](cudaEvent_t event) { ladder::must(cudaEventSynchronize(event), "cudaEventSynchronize"); };
    ladder::HostCopies copies(buffers, threads, wait);
    std::deque<Rows> sources, targets;
    std::vector<ladder::Part<float>> on_gpu;
    for (int i = 0; i < 2 * kGpus; ++i) {
        Gpu& gpu = gpus[i * i / 3 % kGpus];  // which have different numbers of parts
        const int rows = kParts[i].M, cols = kParts[i].K, ld = cols + i % 4;
        sources.emplace_back(rows, cols, i, 10000.0f * i), targets.emplace_back(rows, cols, 5 - i, -1e6f);
        on_gpu.push_back({gpu.take(size_t(rows) * ld), ld, rows, cols});
        copies.in(gpu, on_gpu[i], sources[i].constant(), true, gpu.stream(0));
    }
    copies.stage();
    const std::deque<Rows> untouched = targets, copied = sources;
    for (Rows& each : sources) std::fill(each.elements.begin(), each.elements.end(), NAN);  // it is read already
    for (Gpu& each : gpus) ladder::record(each, each.event(0), each.stream(0));
    for (int i = 0; i < 2 * kGpus; ++i) {
        Gpu& gpu = gpus[i * i / 3 % kGpus];
        copies.out(gpu, targets[i].part(), {on_gpu[i].data, on_gpu[i].ld, on_gpu[i].rows, on_gpu[i].cols}, true,
                   gpu.stream(1), gpu.event(0));
    }
    copies.drain();
    int wrong = 0;
    for (int i = 0; i < 2 * kGpus; ++i) wrong += wrong_in(targets[i], copied[i], untouched[i]);
    return wrong;
}

}  // namespace

TEST_CASE("pieces of ragged parts for several GPUs, by one thread, by some, and by more threads than pieces") {
    const Environment devices("EMULATOR_DEVICES", 3);
    const size_t allocations = emulator::live_allocations(), handles = emulator::live_streams_and_events();
    for (int seed = 0; seed < 20; ++seed) {  // 0: not deferred
        const Environment deferred("EMULATOR_DEFERRED", seed);
        for (const int threads : {1, 3, 100}) {
            INFO(threads << " threads, seed " << seed);
            CHECK(wrong_after_copies(threads) == 0);
        }
    }
    CHECK(emulator::live_allocations() == allocations);
    CHECK(emulator::live_streams_and_events() == handles);
}

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
