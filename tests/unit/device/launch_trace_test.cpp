#include "host/device/launch_trace.h"

#include "host/device/device.h"
#include "tests/catch.h"
#include "tests/unit/skip.h"

using namespace judge;
using namespace unit;

namespace {

KernelLaunch launch_of(const std::string& name) {
    KernelLaunch launch;
    launch.name = name;
    launch.grid = {8, 8, 1};
    launch.block = {32, 32, 1};
    launch.registers = 96;
    return launch;
}

KernelLaunch failed(KernelLaunch launch, const std::string& error) {
    launch.error = error;
    return launch;
}

}  // namespace

TEST_CASE("a kernel is named without its parameters") {
    CHECK(kernel_name("_Z7productPKfS0_Pfiii") == "product");
    CHECK(kernel_name("_Z4gemmILi128ELi8EEvPKfS1_Pf") == "gemm<128, 8>");
    CHECK(kernel_name("_ZN5judge12_GLOBAL__N_19fill_bitsEPjmj") == "judge::(anonymous namespace)::fill_bits");
    CHECK(kernel_name("_Z5applyIPFvvEEvT_") == "apply<void (*)()>");
    CHECK(kernel_name("gemm") == "gemm");  // extern "C"
    CHECK(kernel_name("") == "");
}

TEST_CASE("equal launches become one that counts them, and those that differ are not equal") {
    KernelLaunch larger = launch_of("gemm");
    larger.grid[2] = 2;
    const KernelLaunch one = launch_of("gemm"), broken = failed(one, "invalid argument");
    const auto kinds = merge_equal({one, larger, one, broken, one});
    REQUIRE(kinds.size() == 3);
    CHECK(kinds[0].launches == 3);
    CHECK(kinds[0].grid[2] == 1);
    CHECK(kinds[1] == larger);
    CHECK(kinds[2] == broken);
    CHECK(merge_equal({}).empty());
}

TEST_CASE("a failed launch is told with its reason and its size, and those that did not fail are not") {
    const KernelLaunch good = launch_of("split");
    KernelLaunch bad = failed(launch_of("gemm<128>"), "too many resources requested for launch");
    CHECK(failed_launch({}).empty());
    CHECK(failed_launch({good}).empty());
    CHECK(failed_launch({good, bad, failed(good, "later")}) ==
          "launch of gemm<128> failed: too many resources requested for launch, grid 8x8, block 32x32, 96 registers");
    bad.grid = {7, 1, 1};
    bad.block = {1, 1, 65};
    bad.shared_bytes = 1 << 20;
    bad.registers.reset();
    bad.name.clear();
    CHECK(failed_launch({bad}) ==
          "launch of a kernel failed: too many resources requested for launch, grid 7, block 1x1x65, "
          "1048576 bytes of shared memory");
}

TEST_CASE("a call is made once, whether or not CUPTI is there to listen") {
    LaunchTrace trace;
    int calls = 0;
    const auto launches = trace.launches_of([&] { ++calls; });
    CHECK(calls == 1);
    if (launches) CHECK(launches->empty());
    if (!query_gpu().problem.empty()) CHECK(!launches);
}

TEST_CASE("CUPTI tells what a call launches on the GPU, and nothing of what comes before and after") {
    const char* const name = "CUPTI tells what a call launches on the GPU, and nothing of what comes before and after";
    if (const std::string problem = query_gpu().problem; !problem.empty()) return say_skipped(name, problem);
    const auto device = make_cuda_device();
    float* const memory = device->allocate(1000);
    LaunchTrace trace;
    if (!trace.launches_of([] {})) return say_skipped(name, "CUPTI is absent, or in use");
    for (const int calls : {1, 3}) {
        device->occupy_default_stream();
        const auto launches = trace.launches_of([&] {
            for (int i = 0; i < calls; ++i) device->fill(memory, 1000, 0);
        });
        device->occupy_default_stream();
        REQUIRE(launches);
        REQUIRE(launches->size() == 1);
        const KernelLaunch& fill = launches->front();
        CHECK(fill.name.ends_with("fill_bits"));
        CHECK(fill.launches == uint64_t(calls));
        CHECK(fill.grid[0] * fill.block[0] >= 1000);
        CHECK(fill.block[1] * fill.block[2] == 1);
        CHECK(fill.registers.value_or(0) > 0);
        CHECK(fill.local_bytes == 0u);
        CHECK(fill.shared_bytes == 0);
        CHECK(fill.error.empty());
    }
    device->release(memory);
}
