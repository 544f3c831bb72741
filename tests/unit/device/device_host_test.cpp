#include "host/device/device.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/catch.h"
#include "tests/unit/device_checks.h"
#include "tests/unit/multiply.h"

using namespace judge;
using namespace unit;

TEST_CASE("host memory is aligned, and too much of it is an OutOfMemory") {
    check_memory(*make_host_device());
}

TEST_CASE("the host device copies floats to and from its memory, bit by bit") {
    check_copying(*make_host_device());
}

TEST_CASE("the host device fills memory and counts what differs, bit by bit") {
    check_filling_and_counting(*make_host_device());
}

TEST_CASE("the host device makes every distribution, in parts") {
    check_distributions(*make_host_device());
}

TEST_CASE("the host device hashes memory, position and bits") {
    check_hashes(*make_host_device());
}

TEST_CASE("the host device finds each bad element, and says which is the first in row-major order") {
    check_comparison(*make_host_device());
}

TEST_CASE("the host device compares rectangles, M x N times N x K") {
    check_rectangles(*make_host_device());
}

TEST_CASE("the host device compares chains, whole or some of their rows") {
    check_chains(*make_host_device());
}

TEST_CASE("the host device wants zeros where N is 0, and nothing where M or K is") {
    check_empty_sums(*make_host_device());
}

TEST_CASE("the host device sums rows of a product in FP64 and in FP32") {
    check_row_sums(*make_host_device());
}

TEST_CASE("the host device multiplies a matrix, or its absolute values, by a vector") {
    check_products_with_a_vector(*make_host_device());
}

TEST_CASE("the host device has no compute capability") {
    CHECK(make_host_device()->compute_capability() == 0);
}

TEST_CASE("the host device says how much memory it could not get") {
    std::string message;
    try {
        make_host_device()->allocate(size_t{1} << 60);
    } catch (const OutOfMemory& error) {
        message = error.what();
    }
    CHECK(message == "4294967296.0 GiB of memory");
}

TEST_CASE("errors in many rows are all counted, whatever part of C a thread compares") {
    const Shape shape{101, 9, 7};
    const auto device = make_host_device();
    DeviceMatrix A(*device, shape.a_elements()), B(*device, shape.b_elements()), C(*device, shape.c_elements());
    device->fill_random(A.data(), shape.a_elements(), {1});
    device->fill_random(B.data(), shape.b_elements(), {2});
    multiply(A.data(), B.data(), C.data(), shape);
    for (int64_t row = 5; row < shape.M; ++row) C.data()[row * shape.K + row % shape.K] += 10.0f;

    const Comparison comparison =
        device->reference().compare(A.data(), B.data(), C.data(), shape, rho_bound(shape.N), {});
    CHECK(comparison.wrong == 96);
    CHECK(comparison.compared == 707);
    REQUIRE(comparison.first);
    CHECK(comparison.first->row == 5);
    CHECK(comparison.first->col == 5);
}

TEST_CASE("the host device knows how fast a processor can be at most") {
    const auto device = make_host_device();
    // One core at the least, and a nominal rate far above what any makes of two FMAs a cycle.
    const double rate = 1 / device->least_seconds(1, true);
    CHECK(rate >= 6.5e9 * 2 * 2 * 8);
    CHECK(rate <= 6.5e9 * 2 * 2 * 16 * 1024);
    CHECK(device->least_seconds(1e9, true) == Approx(1e9 * device->least_seconds(1, true)));
    CHECK(device->least_seconds(1, false) < device->least_seconds(1, true));
    CHECK(!device->has_streams());
}

TEST_CASE("the host device times one cold call, without what it takes to empty the caches") {
    const auto device = make_host_device();
    int calls = 0;
    CHECK(device->cold_seconds([&] {
        ++calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }) >= 0.005);
    CHECK(calls == 1);
    // Writing 64 MiB takes 10 ms and more; one of these calls is not interrupted.
    double least = 1;
    for (int i = 0; i < 5; ++i) least = std::min(least, device->cold_seconds([] {}));
    CHECK(least < 1e-3);
}

TEST_CASE("host memory before GPUs is pinned and unpinned, and bounded by them, not by the cores") {
    CHECK(!make_host_device()->seconds_to_cross(1, 1));
    CHECK(make_host_device()->computes_on_cores());
    std::vector<void*> pinned;
    bool full = false;
    GpusBehind gpus{.fp32_flops = 1e14, .fastest_flops = 4e14, .bytes_in = 100e9, .bytes_out = 50e9};
    gpus.pin = [&](void* memory, size_t bytes) {
        CHECK(bytes == 4096);
        if (!full) pinned.push_back(memory);
        return !full;
    };
    gpus.unpin = [&](void* memory) { pinned.erase(std::find(pinned.begin(), pinned.end(), memory)); };
    const auto device = make_host_device(gpus);
    float* const memory = device->allocate(1000);
    CHECK(pinned == std::vector<void*>{memory});
    full = true;
    CHECK_THROWS_AS(device->allocate(1000), OutOfMemory);
    device->release(memory);
    CHECK(pinned.empty());
    CHECK(device->least_seconds(1e14, true) == Approx(1));
    CHECK(device->least_seconds(1e14, false) == Approx(0.25));
    CHECK(device->seconds_to_cross(100e9, 10e9).value() == Approx(1));
    CHECK(device->seconds_to_cross(100e9, 100e9).value() == Approx(2));
    CHECK(!device->computes_on_cores());
}
